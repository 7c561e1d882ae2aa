"""Runs a command and tells what it cost: wall time, CPU time, peak memory."""

import os
import resource
import signal
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass


@dataclass
class Cost:
    """One run of one command."""

    wall: float
    cpu: float
    peak_mb: float
    output: str


class Failed(RuntimeError):
    """The command ended with an error."""


class TooSlow(RuntimeError):
    """The command has used more CPU time than it was given."""


def run(command, stdin=None, limit=None):
    """Runs the command to its end. Standard output and error are kept together, in the order in which they came.

    `limit` is in seconds of CPU time, which say more on a busy machine than those of the wall.

    The system counts the memory of this process, from which the command is started, into the command's peak: keep it small.
    """
    started = time.perf_counter()
    source = open(stdin, "rb") if stdin else subprocess.DEVNULL
    child = subprocess.Popen(
        [str(part) for part in command], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))) if limit else None,
    )
    output = child.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if stdin:
        source.close()
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and limit:
        raise TooSlow(f"{command} was stopped after {limit} s of CPU time")
    if child.returncode != 0:
        raise Failed(f"{command} ended with {child.returncode}:\n{output[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def interleave(commands, repeats, enough, clear=lambda name: None):
    """Runs every command once, then all of them again, so that a noisy minute hits all alike.

    `commands` maps a name to a command; the answer maps it to the list of its costs. A command that has taken `enough`
    seconds is not started again. `clear` is called with the name before each run, and not timed.
    """
    costs = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            if sum(cost.wall for cost in costs[name]) < enough:
                clear(name)
                costs[name].append(run(command))
    return costs


def summary(costs):
    """Median and spread, with every single run kept beside them."""
    walls = [cost.wall for cost in costs]
    return {
        "wall": statistics.median(walls),
        "wall_min": min(walls),
        "wall_max": max(walls),
        "cpu": statistics.median(cost.cpu for cost in costs),
        "peak_mb": max(cost.peak_mb for cost in costs),
        "runs": [{key: value for key, value in asdict(cost).items() if key != "output"} for cost in costs],
    }
