#!/usr/bin/env bash
# Builds a wheel into dist/ and shows that it works in an environment that has nothing but it and what it depends on.
#
#   python/wheel.sh             the wheel to give away
#   python/wheel.sh dev DIR     a quickly built one with every check on, into DIR (python/test.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-dist} out=${2:-dist}

if [ ! -x .venv/bin/maturin ]; then
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet "$(grep '^maturin==' python/requirements-test.txt)"
fi
rm -f "$out"/surefoot-*.whl
.venv/bin/maturin build --quiet --profile "$profile" --out "$out"
wheel=$(realpath "$out"/surefoot-*.whl)

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
python3 -m venv "$empty/venv"
"$empty/venv/bin/python" -m pip install --quiet "$wheel"
# Elsewhere, so that the package comes from the wheel and not from the source.
cp python/tests/smoke.py "$empty"
cd "$empty"
venv/bin/python smoke.py
