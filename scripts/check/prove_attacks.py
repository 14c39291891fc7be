# SPDX-License-Identifier: Apache-2.0
"""Proves the attack tests: takes the rejection of each case out of a copy of the tree, and sees its tests fail, since the attack got through.

All mutants are in one build, each behind a switch that an environment variable sets. Nothing of it is in the sources.
"""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ATTACK_TESTS = "AuthorizationServerTests,EndToEndTests"
# Seconds for the tests of one case, and how many run at a time.
LIMIT, AT_ONCE = 120, 2

SWITCH = """// The switch of the mutants: which cases are on.

import Glibc

enum Mutant {
    private static let active: Set<String> = {
        guard let text = unsafe getenv("KEYBOUND_MUTANT") else { return [] }
        return Set(unsafe String(cString: text).split(separator: ",").map { String($0) })
    }()

    static func on(_ cases: StaticString...) -> Bool {
        !active.isEmpty && cases.contains { active.contains($0.description) }
    }
}
"""

# The list of proofs is cut to those of one attack.
CUT = (
    "Tests/ProofSuite/ProofAttack.swift",
    "package static let all = [",
    "package static let all = every.filter { attack in\n"
    "        Mutant.attacks.isEmpty || attack.numbers.contains { Mutant.attacks.contains($0) }\n"
    "    }\n\n"
    "    private static let every = [",
)
CUTTER = """// Which attacks are tried.

import Glibc

enum Mutant {
    static let attacks: Set<Int> = {
        guard let text = unsafe getenv("KEYBOUND_ATTACKS") else { return [] }
        return Set(unsafe String(cString: text).split(separator: ",").compactMap { Int($0) })
    }()
}
"""


def attack_of(case):
    """The number of the attack that a case belongs to."""
    return int(re.match(r"\d+", case)[0])


def cases_of(rows):
    """Every case once, in the order of the attacks."""
    return sorted({case for row in rows for case in row[0].split()}, key=lambda case: (attack_of(case), case))


def mutated(texts, rows, path_of):
    """The changed files by path. `path_of` finds the file that a row names."""
    changed = {}
    for cases, file, old, new in rows:
        path = path_of(file)
        if path not in texts:
            raise ValueError(f"case {cases}: there is no file {file}")
        text = changed.get(path, texts[path])
        for state in (texts[path], text):
            if state.count(old) != 1:
                raise ValueError(f"case {cases}: {path} has the text {state.count(old)} times: {old}")
        switch = "Mutant.on(" + ", ".join(f'"{case}"' for case in cases.split()) + ")"
        changed[path] = text.replace(old, new.replace("{on}", switch))
    return changed


def uncovered(rows, numbers):
    """The attacks that have no case."""
    return sorted(set(numbers) - {attack_of(case) for case in cases_of(rows)})


def outdated(rows, numbers, texts, path_of):
    """What is wrong with the list: attacks without a case, and rows whose text is not in its file exactly once."""
    found = [f"attack {number} has no case in scripts/check/attack_mutations.py" for number in uncovered(rows, numbers)]
    for row in rows:
        try:
            mutated(texts, [row], path_of)
        except ValueError as error:
            found.append(f"scripts/check/attack_mutations.py: {error}")
    return found


def name_filter(suite, name):
    """The filter of the test runner for one test: its words, whatever stands between them."""
    return f"{suite}/.*" + re.sub(r"[^A-Za-z0-9]+", ".+", name.strip())[:120]


def issues_of(stream):
    """What the failed expectations of an event stream say, and whether a test ran and the run ended."""
    issues, started, ended = [], False, False
    for line in stream.splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        payload = record.get("payload", {})
        if record.get("kind") != "event":
            continue
        started |= payload.get("kind") == "testStarted"
        ended |= payload.get("kind") == "runEnded"
        if payload.get("kind") == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
            issues.append(" ".join(message.get("text", "") for message in payload.get("messages", [])))
    return issues, started, ended


def verdict(stream, in_time, shows):
    """What became of a case, and the expectation that says so."""
    issues, started, ended = issues_of(stream)
    if not started:
        return "error", "no test ran"
    through = [issue for issue in issues if re.search(shows, issue)]
    if through:
        return "killed", through[0]
    if not in_time or not ended:
        return "error", "the tests ended with a signal, or never"
    if not issues:
        return "survived", "every test passes"
    return "error", "failed, but not since the attack got through: " + "; ".join(issues[:3])


class Copy:
    """The copy of the tree with all mutants in it."""

    def __init__(self, root):
        self.root = root
        self.folder = root / ".build/attack-proof"

    def tracked(self):
        output = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.root, capture_output=True, check=True, text=True
        ).stdout
        return [path for path in output.split("\0") if path and (self.root / path).is_file()]

    def write(self, path, data):
        """Only what changed, so that the next build is short."""
        target = self.folder / path
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def make(self, rows, path_of):
        tracked = [path for path in self.tracked() if path.split("/")[0] in ("Sources", "Tests", "Package.swift", "Fuzz", "Benchmarks")]
        texts = {path: (self.root / path).read_text() for path in tracked if path.endswith(".swift")}
        changed = mutated(texts, rows, path_of)
        path, old, new = CUT
        changed |= mutated(texts, [("0", path, old, new)], lambda name: name)
        added = {f"Sources/{name}/Mutant.swift": SWITCH for name in {path.split("/")[1] for path in changed if path.startswith("Sources/")}}
        added["Tests/ProofSuite/Mutant.swift"] = CUTTER
        for path in tracked:
            self.write(path, changed[path].encode() if path in changed else (self.root / path).read_bytes())
            (self.folder / path).chmod((self.root / path).stat().st_mode)
        for path, text in added.items():
            self.write(path, text.encode())
        kept = set(tracked) | set(added)
        for top in ("Sources", "Tests"):
            for path in (self.folder / top).rglob("*"):
                if path.is_file() and str(path.relative_to(self.folder)) not in kept:
                    path.unlink()

    def build(self):
        environment = os.environ | {"KEYBOUND_ONLY": ATTACK_TESTS}
        status = subprocess.run(["swift", "build", "--build-tests", "-j", "2"], cwd=self.folder, env=environment).returncode
        if status != 0:
            sys.exit("attacks: the copy with the mutants does not build")

    def run(self, filters, case=None, limit=LIMIT):
        """The event stream of the tests, and whether they ended in time."""
        program = self.folder / ".build/debug/keyboundPackageTests.xctest"
        environment = os.environ | {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "16"}
        if case is not None:
            environment |= {"KEYBOUND_MUTANT": case, "KEYBOUND_ATTACKS": str(attack_of(case))}
        arguments = [str(program), "--testing-library", "swift-testing"]
        for one in filters:
            arguments += ["--filter", one]
        with tempfile.TemporaryDirectory() as directory:
            stream = Path(directory) / "events"
            process = subprocess.Popen(
                [*arguments, "--event-stream-output-path", str(stream), "--event-stream-version", "0"],
                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                process.wait(timeout=limit)
                in_time = True
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                in_time = False
            return stream.read_text(errors="replace") if stream.exists() else "", in_time


def prove(root, rows, shows, success, path_of, tests, attacks, chosen):
    """Prints a line for each case; the status of the program: 0 if every case is proven."""
    names = {row[0]: row[1] for row in attacks}
    missing = uncovered(rows, names)
    cases = [case for case in cases_of(rows) if not chosen or case in chosen or str(attack_of(case)) in chosen]
    copy = Copy(root)
    started = time.monotonic()
    copy.make(rows, path_of)
    copy.build()
    print(f"built in {time.monotonic() - started:.0f} s", flush=True)
    filters = {case: sorted({name_filter(suite, name) for suite, name in tests(attack_of(case))}) for case in cases}
    everything = sorted({one for some in filters.values() for one in some})
    stream, in_time = copy.run(everything, limit=900)
    issues, ran, _ = issues_of(stream)
    if issues or not ran or not in_time:
        sys.exit("attacks: without a mutant the tests do not pass: " + (issues[0] if issues else "none ran, or they never ended"))
    proven = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        def one(case):
            begun = time.monotonic()
            stream, in_time = copy.run(filters[case], case)
            return case, *verdict(stream, in_time, shows.get(case, success)), time.monotonic() - begun

        for case, result, said, seconds in pool.map(one, cases):
            proven += result == "killed"
            print(f"{result:9} {case:5} {seconds:4.0f} s  {names[attack_of(case)]}: {' '.join(said.split())[:150 if result == 'killed' else 600]}", flush=True)
    left = len(cases) - proven
    for number in missing if not chosen else []:
        print(f"no case for attack {number}, {names[number]}")
        left += 1
    print(f"all of it took {time.monotonic() - started:.0f} s")
    print(f"{proven} cases proven, {left} survived")
    return 1 if left else 0
