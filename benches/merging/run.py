"""Merging measured: one machine against models of shards that are merged, round by round.

    python3 benches/merging/run.py DATA [--sets imdb,20news] [--learners arow,auto] [--shards 2,8,32] [--rounds 1]

DATA is a folder with the sets as TSV or svmlight files, plain or compressed with zstd; `zipf` is generated. Of each set the
last fifth is for testing. The other rows are dealt to the shards one by one, or cut in blocks, or sorted by label and cut
(--deal). Prints a Markdown table: error, log loss and AUC on the test rows, and the seconds that learning and merging took.
In every round the shards go on from what was merged before, over the same rows (--fresh: each round over rows of its own).
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--surefoot", default="target/release/surefoot")
    parser.add_argument("--sets", default="imdb,20news,amazon_domain7,flights,zipf")
    parser.add_argument("--learners", default="arow;auto", help="SPECs, with semicolons")
    parser.add_argument("--shards", default="2,8,32")
    parser.add_argument("--deal", default="dealt", help="dealt, blocks, sorted")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--fresh", action="store_true", help="each round learns rows that no other round learns")
    parser.add_argument("--exact", action="store_true", help="merge by the exact product")
    parser.add_argument("--recalibrate", type=int, default=0, help="so many training rows are kept for recalibration")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print("| set | learner | shards | dealt | round | error | log loss | AUC | learning, s | merging, s |")
    print("| --- | --- | --: | --- | --: | --: | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets.split(","):
            bench = Bench(options, name, Path(folder))
            for learner in options.learners.split(";"):
                bench.one_machine(learner)
                for deal in options.deal.split(","):
                    for shards in map(int, options.shards.split(",")):
                        bench.merged(learner, shards, deal)


class Bench:
    """A set, and what is measured on it."""

    def __init__(self, options, name, folder):
        self.options, self.name, self.folder = options, name, folder
        lines, suffix = self.read()
        cut = len(lines) * 4 // 5
        self.train_lines, self.suffix = lines[:cut], suffix
        self.train_path, self.test_path = self.write("train", lines[:cut]), self.write("test", lines[cut:])
        self.labels = ",".join(sorted({label_of(line, suffix) for line in lines}))

    def read(self):
        """The lines of the set."""
        if self.name == "zipf":
            return self.run("generate", "zipf", "-n", "250000", "--seed", "1").splitlines(keepends=True), ".svm"
        found = sorted(self.options.data.glob(f"{self.name}*"))
        if not found:
            sys.exit(f"{self.options.data}: no file begins with {self.name}")
        path = found[0]
        text = subprocess.run(["zstd", "-dqc", path], check=True, capture_output=True).stdout if path.suffix == ".zst" \
            else path.read_bytes()
        return text.splitlines(keepends=True), Path(path.name.removesuffix(".zst")).suffix

    def write(self, name, lines):
        path = self.folder / f"{self.name}-{name}{self.suffix}"
        path.write_bytes(b"".join(lines))
        return path

    def run(self, *arguments):
        done = subprocess.run([self.options.surefoot, *map(str, arguments)], capture_output=True, check=False)
        if done.returncode:
            sys.exit(f"surefoot {' '.join(map(str, arguments))}: {done.stderr.decode()}")
        return done.stdout

    def learn(self, path, learner, model, base=None):
        """Learns a file; the seconds that took."""
        start = time.perf_counter()
        # A shard may meet one label alone: all are declared.
        how = ["--resume", base] if base else ["--learner", learner, "--labels", self.labels]
        self.run("train", path, *how, "-o", model, "--json", "--threads", self.options.threads)
        return time.perf_counter() - start

    def report(self, model, learner, shards, deal, round_number, learning, merging):
        found = json.loads(self.run("test", model, self.test_path, "--json", "--threads", self.options.threads))
        auc = f"{found['auc']:.4f}" if found.get("auc") is not None else "–"
        cells = [self.name, f"`{learner}`", shards, deal, round_number, f"{found['error_rate']:.4f}",
                 f"{found['log_loss']:.4f}", auc, f"{learning:.2f}", f"{merging:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)

    def one_machine(self, learner):
        model = self.folder / "one.model"
        seconds = self.learn(self.train_path, learner, model)
        self.report(model, learner, 1, "–", "–", seconds, 0.0)

    def dealt(self, lines, shards, deal):
        if deal == "dealt":
            return [lines[shard::shards] for shard in range(shards)]
        if deal == "sorted":
            lines = sorted(lines, key=lambda line: label_of(line, self.suffix))
        edges = [len(lines) * shard // shards for shard in range(shards + 1)]
        return [lines[start:end] for start, end in zip(edges, edges[1:])]

    def merged(self, learner, shards, deal):
        base, lines, rows = None, self.train_lines, []
        if self.options.recalibrate:
            step = max(2, len(lines) // self.options.recalibrate)
            held = self.write("held", lines[::step])
            lines = [line for number, line in enumerate(lines) if number % step]
            rows = ["--recalibrate", held]
        for number in range(self.options.rounds):
            own = lines[number::self.options.rounds] if self.options.fresh else lines
            models, learning = [], 0.0
            for shard, part in enumerate(self.dealt(own, shards, deal)):
                models.append(self.folder / f"shard{shard}.model")
                learning += self.learn(self.write("part", part), learner, models[-1], base)
            flags = (["--from", base] if base else []) + (["--exact"] if self.options.exact else []) + rows
            start, merged = time.perf_counter(), self.folder / "merged.model"
            self.run("merge", *models, *flags, "-o", merged)
            merging = time.perf_counter() - start
            self.report(merged, learner, shards, deal, number + 1, learning, merging)
            base = shutil.move(merged, self.folder / "base.model")


def label_of(line, suffix):
    """The label at the start of a line."""
    return line.split(b"\t" if suffix == ".tsv" else b" ", 1)[0].decode()


if __name__ == "__main__":
    main()
