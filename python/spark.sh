#!/usr/bin/env bash
# Tests of surefoot.spark in a virtual environment of their own, .venv-spark: on a cluster of two executors, and again over
# Spark Connect. Installs what is missing, Java 17 among it, and says so where it cannot. Arguments go to pytest.
#
#   PYSPARK=3.5.9 python/spark.sh    another version of Spark, in .venv-spark-3.5.9
set -euo pipefail
cd "$(dirname "$0")/.."

if ! java -version >/dev/null 2>&1; then
    echo "installing Java 17 (openjdk-17-jre-headless)"
    if ! { apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless; } >/dev/null 2>&1; then
        echo "SKIPPED: the tests of surefoot.spark need Java 17, which is not here and could not be installed" >&2
        exit 0
    fi
fi

venv=.venv-spark${PYSPARK:+-$PYSPARK}
wanted=$(sed "s/^\(pyspark.*==\).*/\1${PYSPARK:-4.3.0}/" python/requirements-spark.txt)
if [ "$wanted" != "$(cat "$venv/installed" 2>/dev/null)" ]; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --requirement <(echo "$wanted")
    echo "$wanted" >"$venv/installed"
fi
bash python/wheel.sh dev target/wheels
"$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps target/wheels/surefoot-*.whl

export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON="$PWD/$venv/bin/python"
"$venv/bin/python" -m pytest python/tests/spark "$@"
# The server of Spark Connect is in the package from version 4 on.
if [[ ${PYSPARK:-4} != 3* ]]; then
    SUREFOOT_SPARK=connect "$venv/bin/python" -m pytest python/tests/spark "$@"
fi
