# SPDX-License-Identifier: Apache-2.0
#
# `make` lists what there is. Every target can be run first, on a new clone: what is missing is installed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Arguments for the command behind a target, e.g. make demo ARGS=--browser
ARGS ?=
# Where the key of the demo lives: tpm, pkcs11 or secret-service, each in software that is started for it.
KEY ?=

.PHONY: help build release demo serve test interop lint format docs apple-check bench bench-peers bench-profile bench-server bench-docs strain soak size fuzz vectors sanitize clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

build: ## build the libraries and the keybound command (.build/debug/keybound)
	@scripts/bootstrap build
	@swift build

release: ## build the keybound command for use: optimised, Swift's own libraries linked in
	@scripts/bootstrap build
	@scripts/release keybound

demo: ## sign in, call an API and watch five attacks fail; ARGS=--browser shows the pages, KEY=tpm or pkcs11 keeps the key there
	@scripts/bootstrap build
	@swift build --product keybound
	@if [ -n '$(KEY)' ]; then scripts/demo-with-key '$(KEY)' $(ARGS); else .build/debug/keybound demo $(ARGS); fi

serve: ## the demo's servers, left running for you and your browser
	@scripts/bootstrap build
	@swift build --product keybound
	@.build/debug/keybound demo --serve $(ARGS)

test: ## run every test; ARGS="--filter DPoPTests" builds and runs those of one target, in seconds
	@scripts/bootstrap test
	@scripts/test $(ARGS)

fuzz: ## fuzz the core, 20 s for each target, then a million changed proofs; ARGS='--seconds 60 json uri'
	@scripts/bootstrap build
	@scripts/fuzz $(ARGS)
sanitize: ## run the tests under AddressSanitizer and ThreadSanitizer; ARGS=thread runs one of them
	@scripts/bootstrap test
	@scripts/sanitize $(ARGS)

interop: ## sign in with clients and at servers of other authors; not part of test
	@scripts/bootstrap interop
	@scripts/interop

vectors: ## make the signatures at the edges anew, for the tests; ARGS=--check only compares
	@scripts/bootstrap vectors
	@.build/vectors-venv/bin/python3 scripts/make-vectors $(ARGS)

lint: ## check formatting, imports between the targets, and the rules for files
	@scripts/bootstrap test
	@scripts/lint

format: ## format every Swift file
	@swift format --in-place --recursive --parallel Sources Tests Benchmarks Fuzz Examples Apple/Runnable/Stubs Apple/Runnable/Tests Package.swift

docs: ## make the documentation of all modules, .build/docs; ARGS='--hosting-base-path /x' for pages below a path
	@scripts/bootstrap test
	@scripts/docs $(ARGS)

bench: ## measure the core beside OpenSSL's own calls; ARGS=--growth shows how cost grows with size
	@scripts/bootstrap build
	@scripts/bench $(ARGS)

bench-peers: ## measure the same work done by libraries of other authors and languages
	@scripts/bootstrap bench
	@scripts/bench-peers $(ARGS)

bench-profile: ## count the instructions of each row, and show the functions that they are in
	@scripts/bootstrap bench
	@scripts/bench-profile $(ARGS)

bench-server: ## measure the authorization server beside Glewlwyd; ARGS='--workers 8 refresh' measures less
	@scripts/bootstrap interop
	@scripts/bench-server $(ARGS)

bench-docs: ## measure everything, on an idle machine, and put the tables into docs/performance*.md
	@scripts/bootstrap bench
	@scripts/bootstrap interop
	@scripts/bench-docs $(ARGS)

strain: ## races at two processes, and 50 times SIGKILL under load; make test does it with 3
	@scripts/bootstrap build
	@swift build --product keybound
	@swift build --product bench
	@scripts/strain-server --rounds 50 $(ARGS)

soak: ## mixed load on the authorization server for 3 minutes; ARGS='--minutes 60' for an hour
	@scripts/bootstrap build
	@swift build --product keybound
	@swift build --product bench
	@scripts/soak $(ARGS)

size: ## what a program that signs in weighs, and that it has nothing of the servers in it
	@scripts/bootstrap build
	@scripts/size $(ARGS)

apple-check: ## compile for iOS, macOS and visionOS on Linux, and run the Apple adapters against stand-ins
	@scripts/bootstrap build
	@scripts/apple-check

clean: ## remove everything that was built, the test environment included
	@rm -rf .build
