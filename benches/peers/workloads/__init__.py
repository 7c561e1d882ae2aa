"""What is run: one module a workload. Each has `run(options, results)` and saves after every step, so that a run which
was stopped goes on where it was."""
