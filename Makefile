# SPDX-License-Identifier: Apache-2.0
#
# `make` lists all targets. Every target works on a new clone: it installs what is missing.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Arguments for the command behind a target, e.g. make demo ARGS=--browser
ARGS ?=
# The key store of the demo: tpm, pkcs11 or secret-service, each emulated in software.
KEY ?=
# One line and a log instead of every compiled file; make demo VERBOSE=1 shows everything.
QUIETLY = VERBOSE='$(VERBOSE)' scripts/quietly
# The server runs on Linux; on a Mac the demo runs in a container, in one line.
ON_LINUX = @[ "$$(uname -s)" = Linux ] || { \
	echo 'make $@: the server of the demo runs on Linux. With Docker: docker run --rm -it -v "$$PWD":/keybound -w /keybound swift:6.2-bookworm sh -c "apt-get -qq update && apt-get -qq install make && make $@"' >&2; \
	exit 1; }
BUILD_COMMAND = $(QUIETLY) 'building keybound: about three minutes the first time' swift build --product keybound

.PHONY: help build release install uninstall dist container try-package reproduce demo serve test test-middleware interop lint format docs apple-check bench bench-peers bench-profile bench-server bench-cluster bench-docs strain cluster soak size fuzz vectors sanitize clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

build: ## build the libraries and the keybound command (.build/debug/keybound)
	@scripts/bootstrap build
	@$(QUIETLY) 'building everything' swift build

release: ## build the keybound command for use: optimized, statically linked with Swift's libraries
	@scripts/bootstrap build
	@$(QUIETLY) 'building keybound, optimized: about six minutes the first time' scripts/release keybound

install: ## install the command that make release built, with manual pages, completions and units; PREFIX, DESTDIR
	@scripts/install

uninstall: ## take away what make install installed; configuration and data stay
	@scripts/install --remove

dist: ## make a release in .build/dist: a .deb, archives of command and sources, the list of components, checksums
	@scripts/bootstrap dist
	@$(QUIETLY) 'building keybound, optimized: about six minutes the first time' scripts/release keybound
	@scripts/package

container: ## make a container image of what make dist made, without an engine, and run it; as root
	@scripts/bootstrap container
	@scripts/container

try-package: ## install what make dist made on a bare Debian 12, set a server up as docs/install.md says, restore it elsewhere, remove it; as root
	@scripts/bootstrap trial
	@scripts/try-package

reproduce: ## build the release of the last commit twice, in two places, and compare the bytes: 15 minutes
	@scripts/bootstrap dist
	@scripts/reproduce

demo: ## sign in, call an API and watch seven attacks fail; ARGS=--verbose shows every message, ARGS=--browser the pages, KEY=tpm or pkcs11 keeps the key there
	$(ON_LINUX)
	@scripts/bootstrap build
	@$(BUILD_COMMAND)
	@if [ -n '$(KEY)' ]; then scripts/demo-with-key '$(KEY)' $(ARGS); else .build/debug/keybound demo $(ARGS); fi

serve: ## start the demo's servers and leave them running for your browser
	$(ON_LINUX)
	@scripts/bootstrap build
	@$(BUILD_COMMAND)
	@.build/debug/keybound demo --serve $(ARGS)

test: ## run all tests; ARGS="--filter DPoPTests" builds and runs those of one target, in seconds
	@scripts/bootstrap test
	@scripts/test $(ARGS)

fuzz: ## fuzz the core, 20 s for each target, then a million mutated proofs; ARGS='--seconds 60 json uri'
	@scripts/bootstrap build
	@scripts/fuzz $(ARGS)
sanitize: ## run the tests under AddressSanitizer and ThreadSanitizer; ARGS=thread runs one of them
	@scripts/bootstrap test
	@scripts/sanitize $(ARGS)

interop: ## test against clients and servers by other authors; not part of test
	@scripts/bootstrap interop
	@scripts/interop

test-middleware: ## build Examples/SwiftFrameworks with Hummingbird and Vapor and attack them; MIRRORS=DIR takes the packages from there
	@scripts/bootstrap interop
	@scripts/middleware $(if $(MIRRORS),--mirrors '$(MIRRORS)')

vectors: ## regenerate the edge-case signatures for the tests; ARGS=--check only compares
	@scripts/bootstrap vectors
	@.build/vectors-venv/bin/python3 scripts/make-vectors $(ARGS)

lint: ## check formatting, imports between the targets, and the rules for files
	@scripts/bootstrap test
	@scripts/lint

format: ## format every Swift file
	@swift format --in-place --recursive --parallel Sources Tests Benchmarks Fuzz Examples Apple/Runnable/Stubs Apple/Runnable/Tests Package.swift

docs: ## build the documentation of all modules in .build/docs; ARGS='--hosting-base-path /x' for pages below a path
	@scripts/bootstrap test
	@scripts/docs $(ARGS)

bench: ## benchmark the core against direct OpenSSL calls; ARGS=--growth shows how cost grows with size
	@scripts/bootstrap build
	@scripts/bench $(ARGS)

bench-peers: ## benchmark the same work in libraries of other authors and languages
	@scripts/bootstrap bench
	@scripts/bench-peers $(ARGS)

bench-profile: ## count the instructions of each benchmark, by function
	@scripts/bootstrap bench
	@scripts/bench-profile $(ARGS)

bench-server: ## benchmark the authorization server against Glewlwyd; ARGS='--workers 8 refresh' measures less, ARGS=--gateway the gateway beside mod_oauth2
	@scripts/bootstrap interop
	@scripts/bench-server $(ARGS)

bench-cluster: ## benchmark the server on PostgreSQL: beside SQLite, with 3 nodes, with a million grants; ARGS='--stored 0 refresh' measures less
	@scripts/bootstrap test
	@scripts/bench-cluster $(ARGS)

bench-docs: ## run all benchmarks on an idle machine, and write the tables into docs/performance*.md
	@scripts/bootstrap bench
	@scripts/bootstrap interop
	@scripts/bench-docs $(ARGS)

strain: ## race requests at two processes, SIGKILL a server 50 times under load (make test: 3 times), hold slow connections, flood it; two clients refresh one account 1000 times, with kills
	@scripts/bootstrap test
	@$(BUILD_COMMAND)
	@$(QUIETLY) 'building the load program' swift build --product bench
	@scripts/strain-server --rounds 50 $(ARGS)
	@KEYBOUND_REFRESH_ROUNDS=500 scripts/test --filter RefreshRace

cluster: ## three nodes on PostgreSQL with two standbys under load: 20 kills, failovers, cuts, pauses and upgrades; ARGS='--rounds 8 failover' for some
	@scripts/bootstrap test
	@$(BUILD_COMMAND)
	@$(QUIETLY) 'building the load program' swift build --product bench
	@scripts/strain-cluster --rounds 20 --upgrade $(ARGS)

soak: ## put mixed load on the authorization server for 3 minutes; ARGS='--minutes 60' for an hour
	@scripts/bootstrap build
	@$(BUILD_COMMAND)
	@$(QUIETLY) 'building the load program' swift build --product bench
	@scripts/soak $(ARGS)

size: ## show the size of a client program, and check that it contains no server code
	@scripts/bootstrap build
	@scripts/size $(ARGS)

apple-check: ## compile for iOS, macOS and visionOS on Linux, and run the Apple adapters against stand-ins
	@scripts/bootstrap build
	@scripts/apple-check

clean: ## remove all build results, including the test environment
	@rm -rf .build
