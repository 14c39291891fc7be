# SPDX-License-Identifier: Apache-2.0
#
# `make` lists what there is. Every target can be run first, on a new clone: what is missing is installed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Arguments for the command behind a target, e.g. make demo ARGS=--browser
ARGS ?=

.PHONY: help build release demo serve test sanitize interop lint format apple-check bench clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

build: ## build the libraries and the keybound command (.build/debug/keybound)
	@scripts/bootstrap build
	@swift build

release: ## build the keybound command for use: optimised, Swift's own libraries linked in
	@scripts/bootstrap build
	@swift build --configuration release --static-swift-stdlib --product keybound

demo: ## sign in, call an API and watch five attacks fail; ARGS=--browser shows the pages
	@scripts/bootstrap build
	@swift build --product keybound
	@.build/debug/keybound demo $(ARGS)

serve: ## the demo's servers, left running for you and your browser
	@scripts/bootstrap build
	@swift build --product keybound
	@.build/debug/keybound demo --serve $(ARGS)

test: ## run every test: units, RFC vectors, the flow over sockets, code in the docs, a browser
	@scripts/bootstrap test
	@scripts/test

sanitize: ## run the tests under AddressSanitizer and ThreadSanitizer; ARGS=thread runs one of them
	@scripts/bootstrap test
	@scripts/sanitize $(ARGS)

interop: ## sign in with clients and at servers of other authors; not part of test
	@scripts/bootstrap interop
	@scripts/interop

lint: ## check formatting, imports between the targets, and the rules for files
	@scripts/bootstrap test
	@scripts/lint

format: ## format every Swift file
	@swift format --in-place --recursive --parallel Sources Tests Benchmarks Package.swift

bench: ## measure the core beside OpenSSL's own calls; ARGS=--large adds ten million replay entries
	@scripts/bootstrap build
	@scripts/bench $(ARGS)

apple-check: ## compile what runs on Apple platforms for iOS and macOS, on Linux
	@scripts/bootstrap build
	@scripts/apple-check

clean: ## remove everything that was built, the test environment included
	@rm -rf .build
