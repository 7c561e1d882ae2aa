#!/usr/bin/env bash
# Builds the Python package in a virtual environment of its own, .venv, and runs its tests.
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

# maturin looks for the environment to install into by its name.
# Not --release: overflows and broken assumptions shall show here.
VIRTUAL_ENV="$PWD/.venv" .venv/bin/maturin develop --quiet
.venv/bin/python -m pytest "$@"
