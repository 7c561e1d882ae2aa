"""What a wheel must do where nothing is installed but what it depends on; python/wheel.sh runs it there."""

import pickle
import sys

import numpy as np

import surefoot

X, y = np.eye(4), ["a", "b", "a", "b"]
model = surefoot.SurefootClassifier().fit(X, y)
assert list(model.predict(X)) == y
assert list(pickle.loads(pickle.dumps(model)).predict(X)) == y
model.save("model.safetensors")
assert list(surefoot.load("model.safetensors").predict(X)) == y

texts = surefoot.SurefootTextClassifier().fit(["cheap pills", "lunch today"], ["spam", "ham"])
assert list(texts.predict(["cheap"])) == ["spam"]

with open("data.svm", "w") as file:
    file.write("1 1:1\n-1 2:1\n" * 5)
assert surefoot.fit_file("data.svm").report_["examples"] == 10

# None of these may be needed.
optional = {"pandas", "polars", "pyarrow", "river", "matplotlib", "tqdm", "rich"}
assert not optional & set(sys.modules), optional & set(sys.modules)
print("the wheel works:", surefoot.__file__)
