#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signs in at an authorization server with a real browser.

Walks login and consent, and on request the way out, with JavaScript switched off, finds the fields by their labels as a person
would, allows the request, and waits until the browser is at the callback. What the pages must look like is in every_page.py;
only the last page, which is the app's, is examined here. Prints one line of JSON; exits 0 when all is well, 1 when a check or
the flow failed, 2 on wrong usage.

Needs the packages playwright and axe-playwright-python (PyPI) and a Chromium of the operating system.
"""

import argparse
import json
import pathlib
import sys
import urllib.parse

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import sync_playwright

sys.dont_write_bytecode = True
from page_checks import Examiner, Verdict  # noqa: E402

TIMEOUT_MS = 120_000


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
    if arguments.try_wrong_password:
        sign_in(page, arguments.user, arguments.password + "-wrong")
        alert = page.get_by_role("alert")
        alert.wait_for()
        verdict.expect(page.title().startswith("Error"), "login-error: the title does not say so first")
    sign_in(page, arguments.user, arguments.password)
    decide = page.get_by_role("button", name=arguments.decision.capitalize(), exact=True)
    decide.wait_for()
    decide.click(no_wait_after=True)
    if arguments.answer_is_a_form:
        go_on = page.get_by_role("button", name="Continue", exact=True)
        go_on.wait_for()
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
    if arguments.sign_out:
        Examiner(page.context.browser, arguments.screenshots, verdict).look(page, "callback")
        sign_out(page, arguments, verdict)
    return reached[0].url


def walk_device(page, arguments, verdict):
    """Signs in, types the code of a device, wrong at first, allows it, and ends on the page that says so."""
    # The page that refuses a code has the status 400, which Chromium notes.
    page.on(
        "console",
        lambda message: "status of 400" in message.text or verdict.problems.append(f"console: {message.text.strip()}"),
    )
    page.goto(arguments.url)
    sign_in(page, arguments.user, arguments.password)
    field = page.get_by_label("Code", exact=True)
    go_on = page.get_by_role("button", name="Continue", exact=True)
    field.fill("BBBB-BBBB")
    go_on.click()
    page.get_by_role("alert").wait_for()
    verdict.expect(page.title().startswith("Error"), "device-error: the title does not say so first")
    field.fill(arguments.user_code.lower().replace("-", " "))
    go_on.click()
    decide = page.get_by_role("button", name=arguments.decision.capitalize(), exact=True)
    decide.wait_for()
    decide.click()
    page.get_by_role("heading", name="Your device is connected").wait_for()
    return page.url


def sign_out(page, arguments, verdict):
    """Goes to the sign-out page as from a link of anybody's, stays, goes again, and signs out."""
    address = urllib.parse.urlunsplit((*origin(arguments.url), arguments.sign_out, "", ""))
    page.goto(address)
    verdict.expect(arguments.user in page.content(), "sign-out: the page does not say who is signed in")
    page.get_by_role("button", name="Stay signed in", exact=True).click()
    page.get_by_role("heading", name="You are still signed in").wait_for()
    page.goto(address)
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("heading", name="You are signed out").wait_for()
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
    parser.add_argument("--sign-out", metavar="PATH", help="examine the last page, and sign out there afterwards")
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
