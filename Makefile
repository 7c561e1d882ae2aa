# The commands of the project. A fresh machine needs cargo, gcc, make and Python 3 with pip; the rest installs itself.

# Modules that a list declares: `cargo fmt` does not see them.
LISTED = $(wildcard crates/surefoot-core/src/rule/*.rs crates/surefoot-core/src/metric/*.rs)

.PHONY: test lint fmt shape wheel bench bench-peers fuzz experiments deny

## test: everything, the Python package included
test: test-rust test-python

.PHONY: test-rust test-python test-spark
test-rust:
	cargo test --workspace --exclude surefoot-python

test-python:
	bash python/test.sh

## test-spark: surefoot.spark on a cluster of two executors (installs Java 17 and pyspark); some minutes
test-spark:
	bash python/spark.sh

## wheel: the Python package into dist/, tried in an empty environment
wheel:
	bash python/wheel.sh

## lint: formatting, clippy with warnings denied, documentation without warnings
lint:
	cargo fmt --all --check
	rustfmt --check $(LISTED)
	cargo clippy --workspace --exclude surefoot-python --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude surefoot-python --no-deps

fmt:
	cargo fmt --all
	rustfmt $(LISTED)

## shape: the sources in numbers beside their limits; BUILD=1 builds the binary whose files it counts (with valgrind)
shape:
	python3 scripts/shape.py $(if $(BUILD),--build)

## bench: ratios inside one run; benches/README.md records them
bench:
	cargo bench --workspace --exclude surefoot-python

## experiments: the papers' tables and figures; QUICK=1 in under two minutes, on generated data alone
experiments: $(if $(QUICK),,experiments/.venv)
	SUREFOOT_PYTHON=$(CURDIR)/experiments/.venv/bin/python \
		cargo run --release -p surefoot-experiments -- all $(if $(QUICK),--quick)

# scikit-learn, for the support vector machines of one table
experiments/.venv:
	python3 -m venv $@
	$@/bin/pip install --quiet scikit-learn

## bench-peers: beside the peers, which it installs by itself; writes docs/benchmarks.md
bench-peers:
	python3 benches/peers/run.py

## fuzz: a minute for each target (installs cargo-fuzz)
fuzz:
	cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz
	cd fuzz && for target in $$(RUSTC_BOOTSTRAP=1 cargo fuzz list); do \
		RUSTC_BOOTSTRAP=1 cargo fuzz run $$target -- -max_total_time=60 || exit 1; done

## deny: licences, advisories, duplicate versions (installs cargo-deny)
deny:
	cargo deny --version >/dev/null 2>&1 || cargo install --locked cargo-deny
	cargo deny check
