# SPDX-License-Identifier: Apache-2.0
"""Every page of the server in every state, examined by page_checks.py: `keybound serve`, and people who do what leads there.

Scripts are off, as they may be: the page that posts an answer has one, and so have pages with a form, against double clicks.
They work without. One person has scripts, and clicks twice. Names are long, since others choose them.
"""

import json
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import sync_playwright

from page_checks import PATIENCE, Examiner, Verdict

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from server_process import free_port  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
APP = "https://app.example/callback"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
# Only the person who clicks twice uses it: a challenge works once.
UNUSED_CHALLENGE = "kVSkYTdMnv8xGAaAvtrBGGRnRdxX7dmZmUEKTwFWPDs"
PASSWORD = "correct horse battery staple"
USER = "ada"
LONG_USER = "ada.maria.of-a-name-that-is-rather-long@department-of-long-names.university.example"
LONG_NAME = "Wissenschaftliche-Notizblockverwaltungsanwendung 国際化"
LONG_SCOPE = "https://notes.example/scopes/everything.that.can.be.done.with.notes.and.notebooks"
DETAILS = [
    {"type": "payment", "actions": ["initiate", "status"], "amount": {"currency": "EUR", "value": "1234567.89"}},
    {"type": "https://archive.example/authorization/details/of/a/long/name", "places": ["x" * 120]},
]
RESOURCES = ["https://notes.example/", "https://a-rather-long-name-of-an-api.department.university.example/archive/of/notes"]
LOGIN_LIMIT = 4
USER_CODE_LIMIT = 20
# The pages with the script against double clicks, and that which posts an answer.
WITH_SCRIPT = re.compile("login|consent|device(-login|-given|-wrong|-consent|-limited)?$|form-post")


class Server:
    """`keybound serve` with what the pages show; use it in a `with` statement."""

    def __init__(self, keybound, environment, directory):
        self.keybound, self.environment = str(keybound), environment
        address = f"127.0.0.1:{free_port()}"
        self.issuer = "http://" + address
        self.configuration = Path(directory) / "pages.json"
        self.configuration.write_text(json.dumps({
            "issuer": self.issuer, "listen": address, "allowInsecureLoopbackIssuer": True, "unencryptedKeyFile": True,
            "dataDirectory": str(Path(directory) / "pages"), "serverName": "University of the Example, sign-in for everybody",
            "scopes": {"openid": None, "offline_access": None, "notes:read": "Read your notes", LONG_SCOPE: None},
            "resources": {resource: {} for resource in RESOURCES},
            "authorizationDetails": {
                DETAILS[0]["type"]: {
                    "text": "Make payments from your account", "fields": {"actions": ["initiate", "status"], "amount": None},
                },
                DETAILS[1]["type"]: {"fields": {"places": None}},
            },
            "limits": {"login": f"{LOGIN_LIMIT}/10m"},
        }))

    def operator(self, *arguments, text=None):
        subprocess.run(
            [self.keybound, *arguments, "--config", str(self.configuration)], input=text, text=True, check=True,
            capture_output=True, timeout=PATIENCE, env=self.environment,
        )

    def __enter__(self):
        scopes = ("--scope", "openid", "--scope", "notes:read")
        types = [option for detail in DETAILS for option in ("--authorization-details-type", detail["type"])]
        self.operator("client", "add", "--id", "app", "--name", "Notes", "--redirect-uri", APP, *scopes)
        self.operator(
            "client", "add", "--id", "long", "--name", LONG_NAME, "--redirect-uri", "com.example.a-rather-long-name:/callback",
            *scopes, "--scope", "offline_access", "--scope", LONG_SCOPE, *types,
        )
        self.operator("client", "add", "--id", "device", "--name", "Television", "--grant-type", "device_code", *scopes)
        for name in (USER, LONG_USER):
            self.operator("user", "add", name, "--password-file", "-", text=PASSWORD)
        self.process = subprocess.Popen(
            [self.keybound, "serve", "--config", str(self.configuration)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=self.environment,
        )
        if not any(line.startswith("protected") for line in self.process.stdout):
            raise AssertionError("keybound serve did not start")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=PATIENCE)

    def url(self, path, **parameters):
        return f"{self.issuer}{path}?{urllib.parse.urlencode(parameters, doseq=True)}"

    def request(self, client="app", redirect_uri=APP, scope="openid notes:read", challenge=CHALLENGE, **parameters):
        """The URL of an authorization request."""
        return self.url(
            "/authorize", client_id=client, response_type="code", redirect_uri=redirect_uri, scope=scope, state="s",
            code_challenge=challenge, code_challenge_method="S256", **parameters,
        )

    def user_code(self):
        """What a device shows that asks now."""
        form = urllib.parse.urlencode({"client_id": "device", "scope": "notes:read"}).encode()
        with urllib.request.urlopen(self.issuer + "/device_authorization", form, timeout=PATIENCE) as answer:
            return json.load(answer)["user_code"]


class Person:
    """Somebody at a browser of their own, behind an address of their own."""

    def __init__(self, browser, examiner, number, has_scripts=False):
        self.examiner = examiner
        context = browser.new_context(
            java_script_enabled=has_scripts, extra_http_headers={"X-Forwarded-For": f"198.51.100.{number}"}
        )
        context.route(APP + "**", lambda route: route.fulfill(body="the app"))
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)

    def open(self, url):
        self.page.goto(url)

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def type(self, **fields):
        for label, text in fields.items():
            self.page.get_by_label(label, exact=True).fill(text)

    def sign_in(self, user=USER, password=PASSWORD):
        self.type(Username=user, Password=password)
        self.press("Sign in")

    def see(self, where, heading):
        """The page with this heading, examined."""
        self.page.get_by_role("heading", name=heading, exact=True, level=1).wait_for()
        # What follows the heading may come later.
        self.page.wait_for_load_state()
        is_error = self.page.get_by_role("alert").count() == 1 or where.startswith("error")
        self.examiner.verdict.expect(
            self.page.title().startswith("Error") == is_error, f"{where}: the title does not say first whether it is an error"
        )
        self.examiner.look(self.page, where, 1 if WITH_SCRIPT.match(where) else 0)


def sign_in_pages(person, server):
    person.open(server.request(login_hint=LONG_USER))
    person.see("login", "Sign in")
    person.type(Username="")
    person.press("Sign in")
    person.see("login-without-both", "Sign in")
    person.type(Username=LONG_USER)
    person.press("Sign in")
    person.see("login-without-password", "Sign in")
    person.sign_in(LONG_USER, "wrong")
    person.see("login-wrong", "Sign in")
    person.sign_in()
    person.see("consent", "Allow Notes to use your account?")
    asked = person.page.url
    person.press("Deny")
    person.page.get_by_text("the app").wait_for()
    person.open(asked)
    person.see("error-spent", "This sign-in has ended")
    person.open(server.request(response_mode="form_post", scope="openid"))
    person.press("Allow")
    person.see("form-post", "Back to Notes")


def long_names(person, server):
    details = json.dumps(DETAILS)
    redirect = "com.example.a-rather-long-name:/callback"
    scope = f"openid offline_access notes:read {LONG_SCOPE}"
    person.open(server.request("long", redirect, scope, resource=RESOURCES, authorization_details=details))
    person.see("login-long", "Sign in")
    person.sign_in(LONG_USER)
    # The name is cut short.
    person.see("consent-long", re.compile("^Allow Wissenschaftliche.* to use your account[?]$"))
    person.open(server.url("/logout", client_id="long"))
    person.see("sign-out-long", "Sign out of University of the Example, sign-in for everybody?")


def devices(person, server):
    person.open(server.url("/device", user_code="BCDF-GHJK"))
    person.see("device-login", "Sign in")
    person.sign_in()
    person.see("device-given", "Connect a device")
    person.open(server.issuer + "/device")
    person.see("device", "Connect a device")
    person.type(Code="BBBB-BBBB")
    person.press("Continue")
    person.see("device-wrong", "Connect a device")
    person.type(Code=server.user_code())
    person.press("Continue")
    person.see("device-consent", "Allow Television to use your account?")
    person.press("Allow")
    person.see("device-allowed", "Your device is connected")
    person.open(server.issuer + "/device")
    person.type(Code=server.user_code())
    person.press("Continue")
    person.press("Deny")
    person.see("device-denied", "The device gets nothing")
    person.open(server.issuer + "/logout")
    person.see("sign-out", "Sign out of University of the Example, sign-in for everybody?")
    person.press("Stay signed in")
    person.see("sign-out-stayed", "You are still signed in")
    person.open(server.issuer + "/logout")
    person.press("Sign out")
    person.see("signed-out", "You are signed out")


def limits(person, server):
    person.open(server.issuer + "/device")
    person.sign_in()
    for _ in range(USER_CODE_LIMIT + 1):
        person.type(Code="BBBB-BBBB")
        person.press("Continue")
    person.see("device-limited", "Connect a device")
    person.open(server.request(prompt="login"))
    for _ in range(LOGIN_LIMIT + 1):
        person.sign_in(password="wrong")
    person.see("login-limited", "Sign in")


def errors(person, server):
    person.open(server.request("nobody"))
    person.see("error-client", "This sign-in cannot continue")
    person.open(server.request(redirect_uri="https://app.example/" + "elsewhere/" * 30))
    person.page.get_by_text("For the developer").click()
    person.see("error-redirect", "This sign-in cannot continue")
    person.open(server.url("/logout", client_id="app", post_logout_redirect_uri="https://app.example/elsewhere"))
    person.see("error-logout", "You cannot be signed out like this")
    person.open(server.url("/device", user_code=["BCDF-GHJK", "BCDF-GHJK"]))
    person.see("error-device", "This sign-in cannot continue")
    # The form of another browser.
    person.open(server.request())
    person.page.context.clear_cookies()
    person.sign_in()
    person.see("error-form", "Cookies are off")


def double_clicks(person, server):
    """What is clicked twice happens once: a second answer to the first one's request would say that the sign-in has ended."""
    person.open(server.request(challenge=UNUSED_CHALLENGE))
    person.type(Username=USER, Password=PASSWORD)
    person.page.get_by_role("button", name="Sign in", exact=True).dblclick(delay=30, no_wait_after=True)
    person.page.get_by_role("button", name="Allow", exact=True).dblclick(delay=30, no_wait_after=True)
    person.page.get_by_text("the app").wait_for()
    person.examiner.verdict.expect("code=" in person.page.url, "double clicks: there is no code")


def walk(part, person, server):
    """One person's way; what stops it is one problem, and the others go theirs."""
    try:
        part(person, server)
    except BrowserError as error:
        reason = error.message.split("Call log:")[0].strip()
        person.examiner.verdict.problems.append(f"{part.__name__}: at {person.page.title()!r}: {reason}")


def run(keybound, environment, directory, screenshots):
    """Looks at all of them; what is wrong, or nothing."""
    verdict = Verdict()
    with Server(keybound, environment, directory) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--disable-dev-shm-usage", "--disable-gpu"]
        )
        try:
            examiner = Examiner(browser, screenshots, verdict)
            for number, part in enumerate((sign_in_pages, long_names, devices, limits, errors), 1):
                walk(part, Person(browser, examiner, number), server)
            walk(double_clicks, Person(browser, examiner, 100, has_scripts=True), server)
        finally:
            browser.close()
    print(f"browser test: {len(verdict.pages)} pages in {verdict.checks} checks")
    return verdict.problems
