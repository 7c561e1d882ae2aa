"""What the figures were taken on."""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path


def describe(results, packages):
    """Puts machine and versions into the results."""
    results["machine"] = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
    }
    results["versions"] = {
        "surefoot": _git("rev-parse", "--short", "HEAD"),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }
    results.save()


def _processor():
    lines = Path("/proc/cpuinfo").read_text().split("\n") if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _git(*arguments):
    answer = subprocess.run(["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True)
    return answer.stdout.strip() or "unknown"
