"""Executors that die and tasks that are tried again: the same model."""

import os
import pathlib

import pytest

from surefoot.spark import SurefootClassifier
from surefoot.spark._learning import learn_round
from surefoot.spark._survey import Examples


def lesson_of(estimator, frame):
    examples = Examples.of(frame, estimator)
    return examples.usable(), estimator._lesson(examples.kind, examples.survey().labels)


def disturbed(lesson, mark, deed):
    """The lesson, but the first partition that has learned does something bad before it hands its model over."""

    class Disturbed:  # of this function, so that it is sent by value
        def learn(self, batches):
            parts = list(lesson.learn(batches))
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                yield from parts
                return
            deed()
            raise RuntimeError("this attempt ends here")

    return Disturbed()


def fail():
    raise RuntimeError("a disk is broken")


def kill_the_executor():
    """The Java process that started the Python processes of this executor."""
    import signal

    parent = int(pathlib.Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
    assert "java" in pathlib.Path(f"/proc/{parent}/comm").read_text()
    os.kill(parent, signal.SIGKILL)


@pytest.mark.classic
@pytest.mark.parametrize("deed", [fail, kill_the_executor])
def test_a_model_does_not_depend_on_what_failed(deed, frame, tmp_path):
    estimator = SurefootClassifier(textCol="text", numWorkers=2)
    examples, lesson = lesson_of(estimator, frame)
    undisturbed = learn_round(examples, lesson, 2, None)
    assert undisturbed.data == estimator.fit(frame).toBytes()

    # By value: executors do not have this file.
    deed = type(deed)(deed.__code__, {**globals(), "__name__": "__main__"})
    mark = tmp_path / "mark"
    assert learn_round(examples, disturbed(lesson, str(mark), deed), 2, None) == undisturbed
    assert mark.exists()
