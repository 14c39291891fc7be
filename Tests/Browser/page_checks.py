# SPDX-License-Identifier: Apache-2.0
"""What every page must be, read from the page as Chromium shows it: WCAG 2.2 AA, as far as a program can tell.

axe-core (of the package axe-playwright-python) examines each page on a phone and a desktop, light and dark; beside it stand the
checks that it does not make. Pictures are left for people, who see what a program cannot.
"""

import importlib.resources
import re

# (name, width, height, colour scheme) of every picture.
VIEWS = [
    ("desktop-light", 1280, 800, "light"),
    ("desktop-dark", 1280, 800, "dark"),
    ("phone-light", 390, 844, "light"),
    ("phone-dark", 390, 844, "dark"),
]

# (name, width, height, style) of what people do to pages: WCAG 2.2 sections 1.4.10, 1.4.12 and 1.4.4.
STRETCHES = [
    ("narrow", 320, 640, "*{}"),
    (
        "spaced", 320, 640,
        "*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-bottom:2em!important}",
    ),
    ("enlarged", 640, 800, "html{font-size:200%!important}"),
]

# How long a page, or a program of these tests, may take, in seconds.
PATIENCE = 300

AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# What axe must find, or it looks at nothing.
POOR_PAGE = (
    "<!doctype html><html><title>Poor</title><main><h1>Poor</h1><p style='color:#999;background:#fff'>faint</p>"
    "<input><button style='width:9px;height:9px;padding:0'>x</button><button style='width:9px;height:9px;padding:0'>y</button>"
)
POOR_PAGE_FINDINGS = {"html-has-lang", "color-contrast", "label", "target-size"}

# axe takes a page without colours of its own for white, also where the browser makes it dark.
CANVAS = ":where(html){background-color:Canvas}"

SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)

# What the rendered page says about itself; evaluated by the browser's debugger, which works without page scripts.
FACTS = """() => {
  const visible = e => e.getClientRects().length > 0;
  const name = e => (e.labels && e.labels.length ? e.labels[0].textContent : e.textContent || '').trim();
  // A box is ticked by its label too.
  const target = e => e.type === 'checkbox' && e.labels.length ? e.labels[0] : e;
  const linear = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); };
  const light = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const colour = text => (text.match(/[0-9.]+/g) || []).map(Number);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = colour(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    // What the browser has for pages without colours of their own.
    const style = getComputedStyle(document.documentElement);
    return style.colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
  };
  const faint = [];
  for (const e of document.body.querySelectorAll('*')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || !visible(e)) continue;
    const style = getComputedStyle(e);
    const pair = [light(colour(style.color)), light(behind(e))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) faint.push(e.tagName + ' ' + ratio.toFixed(2));
  }
  const controls = [...document.querySelectorAll('input:not([type=hidden]),button,summary,a')].filter(visible);
  return {
    lang: document.documentElement.lang,
    title: document.title,
    headings: document.querySelectorAll('h1').length,
    scripts: document.querySelectorAll('script').length,
    inline: document.querySelectorAll('[style]').length,
    foreign: [...document.querySelectorAll('[src],link[href]')]
      .map(e => e.src || e.href).filter(u => !u.startsWith('data:') && new URL(u).origin !== location.origin),
    unnamed: controls.filter(e => !name(e)).map(e => e.outerHTML.slice(0, 80)),
    small: controls.filter(e => target(e).getBoundingClientRect().height < 44).map(e => name(e)),
    tiny: controls.filter(e => Math.min(e.getBoundingClientRect().height, e.getBoundingClientRect().width) < 24)
      .map(e => name(e)),
    cut: [...document.body.querySelectorAll('*:not(input)')].filter(visible)
      .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').map(e => e.tagName),
    dangling: [...document.querySelectorAll('[aria-describedby]')]
      .filter(e => e.getAttribute('aria-describedby').split(' ').some(id => !document.getElementById(id))).length,
    faint: faint,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    controls: controls.map(name),
  };
}"""

# What axe finds. What it cannot tell is a finding too, since nobody would look at it.
AXE = """async rules => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ['violations', 'incomplete']});
  return [...found.violations, ...found.incomplete].map(rule => rule.id + ': ' + rule.nodes.map(n => n.target.join(' ')).join(', '));
}"""

# Where the focus is and whether it can be seen there.
FOCUS = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const style = getComputedStyle(e);
  const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return {name: (e.labels && e.labels.length ? e.labels[0].textContent : e.textContent || '').trim(), seen: seen};
}"""


class Verdict:
    """What was checked and what was found."""

    def __init__(self):
        self.checks = 0
        self.problems = []
        self.pages = {}

    def expect(self, holds, problem):
        self.checks += 1
        if not holds:
            self.problems.append(problem)


def check_facts(page, where, verdict, scripts=0):
    """Checks what can be read from the page as it is rendered now; `scripts` is how many it may have."""
    facts = page.evaluate(FACTS)
    verdict.expect(facts["lang"], f"{where}: no lang on html")
    verdict.expect(facts["title"].strip(), f"{where}: no title")
    verdict.expect(facts["headings"] == 1, f"{where}: {facts['headings']} h1 headings")
    verdict.expect(facts["scripts"] == scripts, f"{where}: {facts['scripts']} script elements")
    verdict.expect(facts["inline"] == 0, f"{where}: {facts['inline']} style attributes")
    verdict.expect(not facts["foreign"], f"{where}: loads from elsewhere: {facts['foreign']}")
    verdict.expect(not facts["unnamed"], f"{where}: controls without a name: {facts['unnamed']}")
    verdict.expect(not facts["small"], f"{where}: targets under 44 px: {facts['small']}")
    verdict.expect(not facts["tiny"], f"{where}: targets under 24 px (WCAG 2.2 section 2.5.8): {facts['tiny']}")
    verdict.expect(facts["dangling"] == 0, f"{where}: aria-describedby points nowhere")
    verdict.expect(not facts["faint"], f"{where}: contrast under 4.5: {facts['faint']}")
    check_width(facts, where, verdict)
    return facts


def check_width(facts, where, verdict):
    """Nothing is wider than the window, and nothing wider than what it stands in."""
    verdict.expect(facts["overflow"] <= 0, f"{where}: {facts['overflow']} px wider than the window")
    verdict.expect(not facts["cut"], f"{where}: wider than there is room: {facts['cut']}")


def check_focus(page, where, controls, verdict):
    """Tabs through the page: every control is reached, in the order of the page, and the focus can be seen."""
    # A click beside everything takes the focus away, and the next Tab starts at the top.
    page.mouse.click(1, 1)
    reached = []
    for _ in range(len(controls)):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus is None:
            break
        reached.append(focus["name"])
        verdict.expect(focus["seen"], f"{where}: focus cannot be seen on {focus['name']!r}")
    verdict.expect(reached == controls, f"{where}: tab order is {reached}, the page has {controls}")


class Examiner:
    """Examines pages of one browser; `screenshots` is the folder for the pictures."""

    def __init__(self, browser, screenshots, verdict):
        self.screenshots = screenshots
        self.verdict = verdict
        # axe needs timers, which Chromium stops where scripts are off. So it examines a copy.
        self.copy = browser.new_context(reduced_motion="reduce").new_page()
        self.copy.set_default_timeout(PATIENCE * 1000)
        self.copy.evaluate(importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text())
        self.copy.set_content(POOR_PAGE)
        found = {finding.split(":")[0] for finding in self.copy.evaluate(AXE, AXE_RULES)}
        verdict.expect(found == POOR_PAGE_FINDINGS, f"axe finds {found} in the poor page")

    def look(self, page, where, scripts=0):
        """Checks a page and takes its pictures in every view; `scripts` is how many it may have."""
        self.copy.set_content(SCRIPT.sub("", page.content()))
        self.copy.add_style_tag(content=CANVAS)
        for view, width, height, scheme in VIEWS:
            name = f"{where} {view}"
            show(page, width, height, scheme)
            facts = check_facts(page, name, self.verdict, scripts)
            # Hiding the caret would put style attributes into the page.
            self.take(page, where, view)
            show(self.copy, width, height, scheme)
            found = self.copy.evaluate(AXE, AXE_RULES)
            self.verdict.expect(not found, f"{name}: axe: {found}")
        self.stretch(where)
        show(page, 1280, 800, "light")
        check_focus(page, where, facts["controls"], self.verdict)
        self.verdict.pages[where] = facts["title"]

    def stretch(self, where):
        for view, width, height, style in STRETCHES:
            show(self.copy, width, height, "light")
            added = self.copy.add_style_tag(content=style)
            check_width(self.copy.evaluate(FACTS), f"{where} {view}", self.verdict)
            self.take(self.copy, where, view)
            added.evaluate("e => e.remove()")

    def take(self, page, where, view):
        page.screenshot(path=str(self.screenshots / f"{where}-{view}.png"), full_page=True, caret="initial")


def show(page, width, height, scheme):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
