# SPDX-License-Identifier: Apache-2.0
"""Blanks comments and the text of strings in Swift source, so that a check sees only code."""


def code_only(source: str) -> str:
    """Returns `source` with comments and string contents blanked; every line keeps its number, every token its column."""
    out = list(source)
    _blank_code(source, 0, out, in_interpolation=False)
    return "".join(out)


def _blank(out: list, start: int, end: int) -> None:
    for index in range(start, end):
        if out[index] != "\n":
            out[index] = " "


def _blank_code(source: str, position: int, out: list, in_interpolation: bool) -> int:
    """Walks over code, to the end of the source or past the parenthesis that closes an interpolation."""
    depth = 0
    while position < len(source):
        character = source[position]
        if source.startswith("//", position):
            end = _find(source, "\n", position)
            _blank(out, position, end)
            position = end
        elif source.startswith("/*", position):
            end = _end_of_block_comment(source, position)
            _blank(out, position, end)
            position = end
        elif character == '"' or (character == "#" and source[position:].lstrip("#").startswith('"')):
            position = _blank_string(source, position, out)
        elif character == "`":
            position = min(_find(source, "`", position + 1), _find(source, "\n", position)) + 1
        else:
            if in_interpolation and character == "(":
                depth += 1
            elif in_interpolation and character == ")":
                if depth == 0:
                    return position + 1
                depth -= 1
            position += 1
    return position


def _blank_string(source: str, position: int, out: list) -> int:
    """Blanks the text of the literal at `position`, keeps the code of its interpolations, returns its end."""
    hashes = 0
    while source[position] == "#":
        hashes += 1
        position += 1
    quote = '"""' if source.startswith('"""', position) else '"'
    closing = quote + "#" * hashes
    escape = "\\" + "#" * hashes
    position += len(quote)
    while position < len(source):
        if source.startswith(closing, position):
            return position + len(closing)
        if source.startswith(escape + "(", position):
            position = _blank_code(source, position + len(escape) + 1, out, in_interpolation=True)
        elif source.startswith(escape, position):
            end = min(position + len(escape) + 1, len(source))
            _blank(out, position, end)
            position = end
        elif source[position] == "\n" and quote == '"':
            return position
        else:
            _blank(out, position, position + 1)
            position += 1
    return position


def _end_of_block_comment(source: str, position: int) -> int:
    depth = 0
    while position < len(source):
        if source.startswith("/*", position):
            depth += 1
            position += 2
        elif source.startswith("*/", position):
            depth -= 1
            position += 2
            if depth == 0:
                return position
        else:
            position += 1
    return len(source)


def _find(source: str, text: str, position: int) -> int:
    found = source.find(text, position)
    return len(source) if found < 0 else found
