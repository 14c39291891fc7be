# SPDX-License-Identifier: Apache-2.0
"""A form, read from the HTML of a page."""

from html.parser import HTMLParser


class Form(HTMLParser):
    """The first form of a page."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.buttons, self.unticked = None, {}, [], {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "form" and self.action is None:
            self.action = attributes.get("action", "")
        elif tag == "input" and attributes.get("type") == "checkbox" and "checked" not in attributes:
            self.unticked[attributes.get("name")] = attributes.get("value", "on")
        elif tag == "input" and attributes.get("name"):
            self.fields[attributes["name"]] = attributes.get("value", "")
        elif tag == "button" and attributes.get("name"):
            self.buttons.append((attributes["name"], attributes.get("value", "")))
