# SPDX-License-Identifier: Apache-2.0
"""What the drawings share: colours of a light and of a dark theme, which browsers choose, and text that is safe in XML."""

from xml.sax.saxutils import escape

LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->"
# Name of the colour, light, dark. All but `faint` and `paper` are for text: a contrast of at least 4.5.
COLOURS = {
    "text": ("#1f2328", "#e6edf3"), "soft": ("#59636e", "#9198a1"), "faint": ("#d1d9e0", "#3d444d"), "paper": ("#f6f8fa", "#151b23"),
    "blue": ("#0969da", "#4493f8"), "amber": ("#9a6700", "#d29922"), "green": ("#1a7f37", "#3fb950"), "red": ("#d1242f", "#f85149"),
}


def style(rules):
    """A style sheet. `rules` has a rule for each selector, in which `$name` is a colour; it is written once for each theme."""
    def written(theme):
        for selector, rule in rules.items():
            for name, colours in COLOURS.items():
                rule = rule.replace("$" + name, colours[theme])
            yield f"{selector} {{ {rule} }}"

    dark = " ".join(written(1))
    return "<style>\n" + "\n".join(written(0)) + f"\n@media (prefers-color-scheme: dark) {{ {dark} }}\n</style>"


def drawing(width, height, title, rules, parts):
    """A whole SVG file."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
    return "\n".join([head, LICENCE, f"<title>{escape(title)}</title>", style(rules), *parts, "</svg>"]) + "\n"
