"""Learning from files, however large, with the readers of the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from surefoot import _native
from surefoot._files import wrap


class Stream:
    """Learns from files as ``surefoot train`` does: the same files give the same model and the same report.

    Files may be svmlight, VW, CSV, TSV, JSON lines, fastText or plain text, compressed or not; they are read in pieces,
    never as a whole.

    Parameters
    ----------
    learner : str
        ``RULE[/STORE][:param=value,…]``, as on the command line.
    labels : list of str
        Labels known beforehand; none lets them come.
    task : {"auto", "binary", "multiclass", "multilabel"}
    label_separator : str or None
        What stands between two labels in a label column, where a row may have several.
    format : str or None
        None finds it for each file.
    passes : int
        Passes over the files of a call.
    recipe : dict
        What differs from how examples are usually prepared, for example
        ``{"normalize": "none", "space": {"hashed": {"bits": 20, "seed": 0}}}``.
    threads : int
        Threads that read and evaluate beside the one that learns. The result does not depend on it.
    skip_bad_lines : bool
        Leave bad lines out and count them, instead of raising.
    seed : int
    on_drift : {"report", "adapt", "reset"}
        What happens where error or log loss rise by more than chance explains: the report says so; besides, what was learned
        counts less ("adapt"), or the weights begin anew ("reset").
    drift_detector : str or None
        What looks for changes: "adwin", "page-hinkley" or "ddm", several with commas between them, or "none"; None is the
        usual one.
    on_change : callable or None
        Called with a dict as soon as a change of the data is noticed; ``report_["changes"]`` lists the same at the end.
    progress : bool or None
        Whether to show a bar (tqdm or rich has to be installed); None shows one if either is there and output goes to a terminal.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> mail = pathlib.Path(tempfile.mkdtemp()) / "mail.tsv"
    >>> _ = mail.write_text("spam\\tcheap pills\\nham\\tlunch today\\nspam\\tcheap watches\\n")
    >>> stream = Stream(progress=False).fit_file(mail)
    >>> stream.report_["examples"], stream.report_["labels"]
    (3, 2)
    >>> stream.estimator_.predict(["cheap"])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        learner: str = _native.default_learner(),
        *,
        labels: Iterable[object] = (),
        task: str = "auto",
        label_separator: str | None = None,
        format: str | None = None,
        passes: int = 1,
        recipe: dict[str, Any] | None = None,
        threads: int = 1,
        skip_bad_lines: bool = False,
        seed: int = 0,
        on_drift: str = "report",
        drift_detector: str | None = None,
        on_change: Callable[[dict[str, Any]], object] | None = None,
        progress: bool | None = None,
    ) -> None:
        self.learner = learner
        self.labels = labels
        self.task = task
        self.label_separator = label_separator
        self.format = format
        self.passes = passes
        self.recipe = recipe
        self.threads = threads
        self.skip_bad_lines = skip_bad_lines
        self.seed = seed
        self.on_drift = on_drift
        self.drift_detector = drift_detector
        self.on_change = on_change
        self.progress = progress

    def fit_file(self, *paths: str | os.PathLike[str]) -> Stream:
        """Learns from files, in order; a further call goes on with the model of the one before."""
        for path in paths:
            os.stat(path)  # Python's own error for a file that is not there.
        told = self.on_change
        with _Bar(self.progress) as bar:
            self.model_, report = _native.train_files(
                [os.fspath(path) for path in paths],
                self.learner,
                model=getattr(self, "model_", None),
                recipe=json.dumps(self.recipe or {}),
                labels=[str(label) for label in self.labels],
                task=self.task,
                label_separator=self.label_separator,
                format=self.format,
                passes=self.passes,
                threads=self.threads,
                skip_bad_lines=self.skip_bad_lines,
                seed=self.seed,
                on_drift=self.on_drift,
                drift_detector=self.drift_detector,
                progress=bar.update,
                on_change=None if told is None else lambda change: told(json.loads(change)),
            )
        #: What ``surefoot train --json`` prints.
        self.report_ = json.loads(report)
        return self

    @property
    def estimator_(self) -> Any:
        """The model as a scikit-learn estimator, for matrices or for texts."""
        return wrap(self.model_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file."""
        self.model_.save(os.fspath(path))


def fit_file(*paths: str | os.PathLike[str], **settings: Any) -> Stream:
    """Learns from files with a new :class:`Stream` of these settings."""
    return Stream(**settings).fit_file(*paths)


class _Bar:
    """A bar of bytes, by tqdm or rich, or nothing."""

    def __init__(self, wanted: bool | None):
        self._bar = None
        if wanted is not False:
            bar = _tqdm_bar(wanted)
            self._bar = _rich_bar(wanted) if bar is None else bar
        if wanted and self._bar is None:
            raise ImportError("a progress bar needs tqdm or rich: pip install surefoot[progress]")

    def update(self, read, total, examples, error_rate):
        if self._bar is not None:
            self._bar.show(read, total, f"examples={examples}, error={error_rate:.4f}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()


def _tqdm_bar(wanted: bool | None):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None

    class Bar(tqdm):
        def show(self, read, total, text):
            self.total = total
            self.set_postfix_str(text, refresh=False)
            self.update(max(0, read - self.n))

    # With `disable=None` tqdm draws only in a terminal.
    return Bar(unit="B", unit_scale=True, disable=None if wanted is None else False)


def _rich_bar(wanted: bool | None):
    try:
        from rich import progress
    except ImportError:
        return None

    class Bar(progress.Progress):
        def show(self, read, total, text):
            self.update(0, completed=read, total=total, description=text)

        def close(self):
            self.stop()

    columns = (progress.BarColumn(), progress.DownloadColumn(), progress.TextColumn("{task.description}"))
    bar = Bar(*columns)
    # rich draws in files too; only a demand makes it.
    bar.disable = not (wanted or bar.console.is_terminal)
    bar.add_task("")
    bar.start()
    return bar
