# SPDX-License-Identifier: Apache-2.0
"""Tests which parts of a Swift file the checks see as code."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "check"))
from swift_source import code_only  # noqa: E402


class SwiftSourceTests(unittest.TestCase):
    def expect(self, source, code):
        """`code` is what remains; what is blanked may be given as one space for each character."""
        found = code_only(source)
        self.assertEqual(found, code)
        self.assertEqual(len(found), len(source))
        self.assertEqual(found.count("\n"), source.count("\n"))

    def test_code_stays(self):
        self.expect("let a = b / c * d\n", "let a = b / c * d\n")

    def test_a_line_comment_ends_with_its_line(self):
        self.expect("a // b \" c\nd", "a         \nd")

    def test_block_comments_nest_and_keep_their_lines(self):
        self.expect("a /* b /* c */ \n d */ e", "a              \n      e")

    def test_an_open_block_comment_goes_to_the_end(self):
        self.expect("a /* b\nc", "a     \n ")

    def test_a_string_keeps_its_quotes(self):
        self.expect('f("// a") // b', 'f("    ")     ')

    def test_an_escaped_quote_does_not_end_a_string(self):
        self.expect(r'f("a\"b") + c', r'f("    ") + c')

    def test_the_code_of_an_interpolation_stays(self):
        self.expect(r'"a\(b + c(d))e" f', r'" \(b + c(d)) " f')

    def test_strings_nest_in_interpolations(self):
        self.expect(r'"a\(b("c\(d)e"))f"', r'" \(b(" \(d) ")) "')

    def test_a_raw_string_ends_with_its_hashes(self):
        self.expect(r'#"a" \(b) \#(c)"# d', r'#"        \#(c)"# d')

    def test_a_string_of_several_lines_keeps_them(self):
        self.expect('a = """\n  "b" // c\n  """ + d', 'a = """\n          \n  """ + d')

    def test_a_string_without_an_end_stops_at_its_line(self):
        self.expect('a = "b\nc', 'a = " \nc')

    def test_a_name_in_backticks_is_code(self):
        self.expect('func `a "b" // c`() {} // d', 'func `a "b" // c`() {}     ')
