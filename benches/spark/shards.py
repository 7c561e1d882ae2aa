"""As many shards as a large cluster has, one after the other on one machine: what merging them costs and gives.

    SUREFOOT_DATA=DIRECTORY .venv-spark/bin/python benches/spark/shards.py [--set imdb] [--rule arow] [--shards 1,10,100,1000]
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))

from data import SPLIT, rows, shuffled  # noqa: E402
from sets import SETS  # noqa: E402

import surefoot  # noqa: E402


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--set", default="imdb")
    arguments.add_argument("--rule", default="arow")
    arguments.add_argument("--shards", default="1,2,8,32,100,1000")
    chosen = arguments.parse_args()
    (item,) = [item for item in SETS if item.name == chosen.set]
    labels, texts = map(np.array, zip(*shuffled(rows(item), 1)))
    at = int(len(labels) * SPLIT)
    known = np.unique(labels)
    print("shards  error   log loss  learning s  merging s  MB of all models  MB merged")
    for count in map(int, chosen.shards.split(",")):
        start, parts = time.process_time(), []
        for shard in range(count):
            own = slice(shard, at, count)
            model = surefoot.SurefootTextClassifier(chosen.rule)
            parts.append(model.partial_fit(texts[own].tolist(), labels[own], classes=known))
        learned = time.process_time()
        merged = surefoot.merge(parts) if count > 1 else parts[0]
        done = time.process_time()
        said = merged.predict_proba(texts[at:].tolist())
        truth = np.searchsorted(merged.classes_, labels[at:])
        error = np.mean(said.argmax(axis=1) != truth)
        loss = -np.log(np.maximum(said[np.arange(len(truth)), truth], 1e-15)).mean()
        sizes = sum(len(part.to_bytes()) for part in parts) / 1e6, len(merged.to_bytes()) / 1e6
        times = f"{learned - start:10.1f}  {done - learned:9.1f}"
        print(f"{count:6d}  {error:.4f}  {loss:8.4f}  {times}  {sizes[0]:16.1f}  {sizes[1]:9.1f}", flush=True)


if __name__ == "__main__":
    main()
