# SPDX-License-Identifier: Apache-2.0
"""Lets the tests run the makers of vectors without `cryptography`: the committed file says which signatures are valid."""

import contextlib
import importlib
import json
import sys
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/vectors"))

PARTS = ["exceptions", "hazmat", "hazmat.primitives", "hazmat.primitives.asymmetric"]


def with_keys(keys, cases):
    """Cases that hold their key in place of its number."""
    return [case | {"key": keys[case["key"]]} for case in cases]


def committed_cases():
    file = json.loads((ROOT / "Tests/TestSupport/Vectors/signatures.json").read_text())
    return with_keys(file["keys"], file["cases"])


COMMITTED = committed_cases()
ACCEPTED = {(json.dumps(case["key"]), case["jws"]) for case in COMMITTED if case["outcome"] == "accepted"}


def committed(*algorithms):
    """The committed cases of these algorithms, in their order."""
    return [case for case in COMMITTED if case["alg"] in algorithms]


def is_accepted(key, jws):
    return (json.dumps(key), jws) in ACCEPTED


@contextlib.contextmanager
def maker(name):
    """The module of a maker, with stand-ins for what it imports of `cryptography`."""
    stand_ins = {"cryptography": mock.MagicMock()} | {f"cryptography.{part}": mock.MagicMock() for part in PARTS}
    with mock.patch.dict(sys.modules, stand_ins):
        sys.modules.pop(name, None)
        yield importlib.import_module(name)
