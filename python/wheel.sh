#!/usr/bin/env bash
# Builds a wheel into dist/ and shows that it works in an environment that has nothing but it and what it depends on.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/maturin ]; then
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet "$(grep '^maturin==' python/requirements-test.txt)"
fi
rm -f dist/surefoot-*.whl
.venv/bin/maturin build --quiet --release --out dist

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
python3 -m venv "$empty/venv"
"$empty/venv/bin/python" -m pip install --quiet dist/surefoot-*.whl
# Elsewhere, so that the package comes from the wheel and not from the source.
cd "$empty"
venv/bin/python - <<'PYTHON'
import numpy as np
import surefoot

X, y = np.eye(4), ["a", "b", "a", "b"]
model = surefoot.SurefootClassifier().fit(X, y)
assert list(model.predict(X)) == y
model.save("model.safetensors")
assert list(surefoot.load("model.safetensors").predict(X)) == y
print("the wheel works:", surefoot.__file__)
PYTHON
