"""The streams that change: real ones in time order, and some whose concept is moved. Two labels, one order each."""

import csv
import math
import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import data
from sets import SETS

# The example of the SMS stream from which labels are swapped, and about how many examples that takes where it is gradual.
FLIP, WIDTH = 2787, 1000


@dataclass(frozen=True)
class ChangingStream:
    """A stream: `rows` gives its labels and features, of the program that generates some of them."""

    name: str
    title: str
    rows: Callable[[Path], list]
    # The file that it is made of, if it is not generated.
    file: str | None = None
    # Whether the features are a few measurements that every example has.
    dense: bool = False
    # Whether what follows the first half is to be told apart.
    halves: bool = False

    def available(self):
        return self.file is None or "SUREFOOT_DATA" in os.environ and (Path(os.environ["SUREFOOT_DATA"]) / self.file).exists()


def _set(name):
    return next(item for item in SETS if item.name == name)


def _numbers(name):
    """A set as numbers, in the order of its file."""
    item = _set(name)
    return data.numeric(data.rows(item), item.text)[0]


def _measurements(file):
    """A table of numbers whose last column is the label, 0 or 1."""
    source = Path(os.environ["SUREFOOT_DATA"]) / file
    text = subprocess.run(["zstd", "-dcq", source], check=True, capture_output=True).stdout.decode()
    rows = list(csv.reader(text.splitlines()))[1:]
    pairs = (" ".join(f"{i}:{float(cell)!r}" for i, cell in enumerate(row[:-1], 1)) for row in rows)
    return [("1" if float(row[-1]) else "-1", features) for row, features in zip(rows, pairs)]


def _swapped(label):
    return "-1" if label == "1" else "1"


def _flipped(program):
    rows = _numbers("sms")
    return rows[:FLIP] + [(_swapped(label), features) for label, features in rows[FLIP:]]


def _gradually_flipped(program):
    chance = random.Random(1)

    def label_of(place, label):
        swap = chance.random() < 1 / (1 + math.exp(-4 * (place + 0.5 - FLIP) / WIDTH))
        return _swapped(label) if swap else label

    return [(label_of(place, label), features) for place, (label, features) in enumerate(_numbers("sms"))]


def _interest(program):
    """Newsgroups about recreation are wanted in the first half, those about science in the second."""
    item = _set("20news")
    table = data.rows(item)
    # Groups have numbers in the order of their names: 8 to 11 are rec.*, 12 to 15 sci.*.
    wanted = ({"8", "9", "10", "11"}, {"12", "13", "14", "15"})
    half = len(table) // 2
    rows = [("1" if group in wanted[place >= half] else "-1", words) for place, (group, words) in enumerate(table)]
    return data.numeric(rows, item.text)[0]


def _generated(stream, count):
    def rows(program):
        command = [program, "generate", *stream, "-n", str(count), "--seed", "1"]
        text = subprocess.run(command, check=True, capture_output=True).stdout.decode()
        return [tuple(line.split(" ", 1)) for line in text.splitlines()]

    return rows


CHANGING = [
    ChangingStream("elec2", "elec2", lambda _: _measurements("elec2.csv.zst"), "elec2.csv.zst", dense=True),
    ChangingStream("sea", "sea_stream", lambda _: _measurements("sea_stream.csv.zst"), "sea_stream.csv.zst", dense=True),
    ChangingStream("sea-generated", "SEA, generated", _generated(["sea"], 50_000), dense=True),
    ChangingStream("hyperplane", "hyperplane, generated", _generated(["hyperplane", "drifting=10"], 40_000), dense=True),
    ChangingStream("flights-50k", "flights, first 50,000", lambda _: _numbers("flights")[:50_000], _set("flights").file),
    ChangingStream("flights", "flights, all", lambda _: _numbers("flights"), _set("flights").file),
    ChangingStream("enron", "Enron spam", lambda _: _numbers("enron"), _set("enron").file),
    ChangingStream("sms-flip", "SMS, swapped", _flipped, _set("sms").file, halves=True),
    ChangingStream("sms-gradual", "SMS, gradually swapped", _gradually_flipped, _set("sms").file, halves=True),
    ChangingStream("interest", "20 Newsgroups, interest moves", _interest, _set("20news").file, halves=True),
]
