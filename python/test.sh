#!/usr/bin/env bash
# Builds a wheel, shows that it works alone, installs it into a virtual environment of its own, .venv, and runs the tests.
# Arguments go to pytest: python/test.sh -k threads
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv
fi
# Installing takes minutes and finding out that nothing has changed some seconds; a stamp makes it nothing at all.
stamp=.venv/installed
if ! cmp -s python/requirements-test.txt "$stamp"; then
    .venv/bin/python -m pip install --quiet --requirement python/requirements-test.txt
    cp python/requirements-test.txt "$stamp"
fi

# Not release: overflows and broken assumptions shall show here.
bash python/wheel.sh dev target/wheels
.venv/bin/python -m pip install --quiet --force-reinstall --no-deps target/wheels/surefoot-*.whl
.venv/bin/python -m pytest "$@"
