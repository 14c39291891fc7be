# SPDX-License-Identifier: Apache-2.0
"""The drawings have both themes, and text cannot break them."""

import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "draw"))

import theme  # noqa: E402


def brightness(colour):
    """The relative luminance of WCAG 2.1."""
    parts = [int(colour[start:start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))


class Theme(unittest.TestCase):
    def test_each_colour_is_written_for_both_themes(self):
        text = theme.style({"text": "fill: $text", ".a": "stroke: $red"})
        light, dark = text.split("@media (prefers-color-scheme: dark)")
        self.assertIn("text { fill: #1f2328 }", light)
        self.assertIn("text { fill: #e6edf3 }", dark)
        self.assertNotIn("$", text)

    def test_text_can_be_read_in_both_themes(self):
        for background, side in [("#ffffff", 0), ("#f6f8fa", 0), ("#0d1117", 1), ("#151b23", 1)]:
            for name in ("text", "soft", "blue", "amber", "green", "red"):
                pair = sorted([brightness(background), brightness(theme.COLOURS[name][side])])
                self.assertGreaterEqual((pair[1] + 0.05) / (pair[0] + 0.05), 4.5, f"{name} on {background}")

    def test_a_drawing_is_xml_whatever_its_title(self):
        root = ElementTree.fromstring(theme.drawing(10, 20, "a < b & c", {}, ["<g/>"]))
        self.assertEqual(root.attrib["viewBox"], "0 0 10 20")
        self.assertEqual(root.find("{http://www.w3.org/2000/svg}title").text, "a < b & c")


if __name__ == "__main__":
    unittest.main()
