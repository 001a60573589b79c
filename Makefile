# Each target runs a script of Scripts/, which first installs what is missing.
#
#   make demo                     the tutorials of Examples/, in order
#   make demo ONLY=05             one tutorial, by its number or its name
#   make demo DB=path             strata show, on a database of yours (read-only)
#   make install PREFIX=~/.local  the command strata, its manual page and completions; below /usr/local without PREFIX
#   make test                     every package's tests, those of Tests/, the samples of pages and comments
#   make test PACKAGES="A B"      some packages' tests, Combine, Pages or Samples; in an optimized build with CONFIGURATION=release
#   make test SQLITE=path         the tests with another shared library of SQLite; Scripts/build-sqlite.sh makes some
#   make test STACK=512           the tests with stacks of 512 KB, as Apple's dispatch queues have
#   make soak SEED=1 STEPS=10000  longer runs of the tests with random schemas, kills, faults, contention, leaks and limits; then make fuzz
#   make fuzz SECONDS=600         looks for inputs that end the program or give wrong values; TARGETS="csv json" chooses some
#   make golden                   updates the golden files: the output of strata that tests compare
#   make packages                 updates the files that depend on the list of packages in Package.swift
#   make symbols                  updates the lists of public symbols
#   make api-changes SINCE=0.1.0  the public symbols that are gone or have changed since a version
#   make lint                     layout, documentation, manifests, layers, what the declared versions of Apple's systems have
#   make check                    lint and test
#   make bench ARGS="--only x"    compares Strata with the C API, in a release build; draws .build/bench/speed.svg
#   make bench SINCE=main         compares the speed of Strata with that of another commit
#   make bench PEERS=1            compares Strata with drivers of Rust, Go and Python, which it installs; see Tests/Peers/README.md
#   make sanitize PACKAGES="A B"  some packages' tests, or all, under the thread and address sanitizers
#   make docs                     the documentation of all layers as a web site, .build/docs/site; for a folder of a server with BASE=folder

.PHONY: api-changes check demo install test soak fuzz golden packages symbols lint sanitize bench docs bootstrap

# Tests use raw identifiers and exit tests.
check test soak golden sanitize: export SWIFT = 6.2

check: lint test

bootstrap:
	@Scripts/bootstrap.sh

# Passed by the environment, and not pasted into the command, for paths with spaces and quotes.
export BASE DB DESTDIR ONLY PREFIX SQLITE STACK
demo: bootstrap
	@ONLY="$$ONLY" Scripts/demo.sh "$$DB"

install: bootstrap
	@Scripts/install.sh "$$PREFIX"

test: bootstrap
	@Scripts/test.sh $(PACKAGES)

soak: bootstrap
	@Scripts/soak.sh "$(SEED)" "$(STEPS)"

fuzz: bootstrap
	@Scripts/fuzz.sh $(or $(SECONDS),600) $(TARGETS)

golden: bootstrap
	@STRATA_GOLDEN=renew Scripts/test.sh RecordGenerator StrataTool

packages: bootstrap
	@Scripts/write-packages.sh

symbols:
	@Scripts/public-symbols.sh

lint: bootstrap
	@Scripts/lint.sh

sanitize: bootstrap
	@Scripts/sanitize.sh $(PACKAGES)

bench:
	@Scripts/bootstrap.sh $(if $(PEERS),,valgrind)
	@$(if $(PEERS),Scripts/peers.sh $(ROUNDS),Scripts/bench.sh $(if $(SINCE),--since $(SINCE)) $(ARGS))

docs: bootstrap
	@Scripts/docs.sh

api-changes:
	@Scripts/api-changes.sh $(SINCE)
