#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signs in at an authorization server with a real browser, and checks the pages on the way.

Walks login and consent, and on request the way out, with JavaScript switched off, finds the fields by their labels as a person would, checks the
basics of accessibility from the rendered page, takes pictures, allows the request, and waits until the browser is at
the callback. Prints one line of JSON; exits 0 when all is well, 1 when a check or the flow failed, 2 on wrong usage.

Needs the package playwright (PyPI) and a Chromium of the operating system.
"""

import argparse
import json
import pathlib
import sys
import urllib.parse

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import sync_playwright

TIMEOUT_MS = 15_000

# (name, width, height, colour scheme) of every picture.
VIEWS = [
    ("desktop-light", 1280, 800, "light"),
    ("desktop-dark", 1280, 800, "dark"),
    ("phone-light", 390, 844, "light"),
    ("phone-dark", 390, 844, "dark"),
    ("narrow-light", 320, 640, "light"),
]

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
    return [255, 255, 255];
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
    dangling: [...document.querySelectorAll('[aria-describedby]')]
      .filter(e => e.getAttribute('aria-describedby').split(' ').some(id => !document.getElementById(id))).length,
    faint: faint,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    controls: controls.map(name),
  };
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
    verdict.expect(facts["overflow"] <= 0, f"{where}: {facts['overflow']} px wider than the window")
    return facts


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


def look(page, where, screenshots, verdict, scripts=0):
    """Checks a page and takes its pictures in every view."""
    for view, width, height, scheme in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        facts = check_facts(page, f"{where} {view}", verdict, scripts)
        # Hiding the caret would put style attributes into the page.
        page.screenshot(path=str(screenshots / f"{where}-{view}.png"), full_page=True, caret="initial")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    check_focus(page, where, facts["controls"], verdict)
    verdict.pages[where] = facts["title"]


def sign_in(page, user, password):
    """Fills in the login form as a person does."""
    page.get_by_label("Username", exact=True).fill(user)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def walk(page, arguments, verdict):
    """Goes from the authorization request to the callback and returns the address reached."""
    reached = []
    server = origin(arguments.url)

    def note_response(response):
        # The server may itself be on the loopback interface, and its own pages are not the callback.
        if response.url.startswith(arguments.expect_callback_prefix) and origin(response.url) != server:
            reached.append(response)

    def note_console(message):
        # What the page of the loopback receiver says is not the server's doing, and the page that refuses a wrong password
        # has the status 403, which Chromium notes.
        is_refusal = arguments.try_wrong_password and "status of 403" in message.text
        if not reached and not is_refusal:
            verdict.problems.append(f"console: {message.text.strip()}")

    page.on("response", note_response)
    page.on("console", note_console)
    answer = page.goto(arguments.url)
    policy = (answer.headers if answer else {}).get("content-security-policy", "")
    verdict.expect("default-src 'none'" in policy, "login: no strict Content-Security-Policy")
    look(page, "login", arguments.screenshots, verdict)
    if arguments.try_wrong_password:
        sign_in(page, arguments.user, arguments.password + "-wrong")
        alert = page.get_by_role("alert")
        alert.wait_for()
        verdict.expect(page.title().startswith("Error"), "login-error: the title does not say so first")
        look(page, "login-error", arguments.screenshots, verdict)
    sign_in(page, arguments.user, arguments.password)
    decide = page.get_by_role("button", name=arguments.decision.capitalize(), exact=True)
    decide.wait_for()
    look(page, "consent", arguments.screenshots, verdict)
    decide.click(no_wait_after=True)
    if arguments.answer_is_a_form:
        go_on = page.get_by_role("button", name="Continue", exact=True)
        go_on.wait_for()
        look(page, "form-post", arguments.screenshots, verdict, scripts=1)
        go_on.click(no_wait_after=True)
    # The loopback receiver may answer with a redirect of its own, so its first response is what counts.
    for _ in range(TIMEOUT_MS // 100):
        if reached:
            break
        page.wait_for_timeout(100)
    verdict.expect(reached, "the browser did not go to the callback")
    if not reached:
        return page.url
    verdict.expect(reached[0].status < 400, f"the callback answered {reached[0].status}")
    page.wait_for_load_state()
    page.screenshot(path=str(arguments.screenshots / "callback.png"))
    if arguments.sign_out:
        sign_out(page, arguments, verdict)
    return reached[0].url


def walk_device(page, arguments, verdict):
    """Types the code of a device, wrong at first, signs in, allows it, and ends on the page that says so."""
    # The page that refuses a code has the status 400, which Chromium notes.
    page.on(
        "console",
        lambda message: "status of 400" in message.text or verdict.problems.append(f"console: {message.text.strip()}"),
    )
    page.goto(arguments.url)
    look(page, "device", arguments.screenshots, verdict)
    field = page.get_by_label("Code", exact=True)
    go_on = page.get_by_role("button", name="Continue", exact=True)
    field.fill("BBBB-BBBB")
    go_on.click()
    page.get_by_role("alert").wait_for()
    verdict.expect(page.title().startswith("Error"), "device-error: the title does not say so first")
    look(page, "device-error", arguments.screenshots, verdict)
    field.fill(arguments.user_code.lower().replace("-", " "))
    go_on.click()
    sign_in(page, arguments.user, arguments.password)
    decide = page.get_by_role("button", name=arguments.decision.capitalize(), exact=True)
    decide.wait_for()
    look(page, "device-consent", arguments.screenshots, verdict)
    decide.click()
    page.get_by_role("heading", name="Your device is connected").wait_for()
    look(page, "device-connected", arguments.screenshots, verdict)
    return page.url


def sign_out(page, arguments, verdict):
    """Goes to the sign-out page as from a link of anybody's, stays, goes again, and signs out."""
    address = urllib.parse.urlunsplit((*origin(arguments.url), arguments.sign_out, "", ""))
    page.goto(address)
    look(page, "sign-out", arguments.screenshots, verdict)
    verdict.expect(arguments.user in page.content(), "sign-out: the page does not say who is signed in")
    page.get_by_role("button", name="Stay signed in", exact=True).click()
    page.get_by_role("heading", name="You are still signed in").wait_for()
    page.goto(address)
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("heading", name="You are signed out").wait_for()
    look(page, "signed-out", arguments.screenshots, verdict)
    page.goto(address)
    verdict.expect(page.get_by_role("button").count() == 0, "sign-out: somebody is still signed in after it")


def origin(address):
    """Scheme, host and port of an address."""
    return urllib.parse.urlsplit(address)[:2]


def without_query(address):
    """The address without what may be a code."""
    return address.split("?", 1)[0].split("#", 1)[0]


def run(arguments, verdict):
    """Starts the browser, walks, and returns where it ended."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=arguments.chromium, headless=True, args=["--disable-dev-shm-usage", "--disable-gpu"]
        )
        context = browser.new_context(java_script_enabled=False, ignore_https_errors=arguments.ignore_https_errors)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        try:
            return (walk_device if arguments.user_code else walk)(page, arguments, verdict)
        except BrowserError as error:
            page.screenshot(path=str(arguments.screenshots / "failure.png"))
            verdict.problems.append(f"at {without_query(page.url)} ({page.title()!r}): {error.message.splitlines()[0]}")
            return page.url
        finally:
            browser.close()


def first_line(path):
    """The first line of a file, for argparse."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").splitlines()[0]
    except (OSError, UnicodeDecodeError, IndexError):
        raise argparse.ArgumentTypeError(f"{path} holds no line that can be read") from None


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True, help="the authorization request to open")
    parser.add_argument("--user", required=True, help="the name to sign in with")
    parser.add_argument(
        "--password-file", required=True, type=first_line, dest="password", metavar="FILE", help="first line: password"
    )
    parser.add_argument("--screenshots", required=True, type=pathlib.Path, help="folder for the pictures")
    parser.add_argument("--expect-callback-prefix", required=True, help="what the callback's address starts with")
    parser.add_argument("--decision", choices=["allow", "deny"], default="allow", help="the button to press")
    parser.add_argument("--try-wrong-password", action="store_true", help="fail once first, and check that page too")
    parser.add_argument("--sign-out", metavar="PATH", help="sign out there afterwards, and check those pages too")
    parser.add_argument("--answer-is-a-form", action="store_true", help="press the button that posts the answer")
    parser.add_argument("--user-code", help="the URL is where this code of a device is to be typed")
    parser.add_argument("--ignore-https-errors", action="store_true", help="accept a self-signed certificate")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser to run")
    return parser.parse_args()


def main():
    """Runs, prints the verdict, and returns the exit status."""
    arguments = parse_arguments()
    arguments.screenshots.mkdir(parents=True, exist_ok=True)
    verdict = Verdict()
    end = run(arguments, verdict)
    passed = not verdict.problems
    report = {
        "passed": passed,
        "checks": verdict.checks,
        "pages": verdict.pages,
        "callback": without_query(end),
        "problems": verdict.problems,
    }
    print(json.dumps(report, ensure_ascii=False))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
