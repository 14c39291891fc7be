# SPDX-License-Identifier: Apache-2.0
"""Signs in with Examples/BrowserApp in a real browser, from another origin than the server's, and from one that nobody registered."""

import base64
import functools
import hashlib
import json
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

from playwright.sync_api import sync_playwright

from every_page import CHROMIUM, PASSWORD, USER, Server
from page_checks import PATIENCE

FILES = Path(__file__).resolve().parent.parent.parent / "Examples" / "BrowserApp"
API = "https://api.example"


class Quiet(SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/moved":
            super().do_GET()
            return
        self.send_response(307)
        self.send_header("Location", "/app.js?moved")
        self.end_headers()

    def log_message(self, *_):
        pass


class Site:
    """The files of the app on a free port; use it in a `with` statement."""

    def __init__(self, folder):
        self.folder = folder
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def fill(self, issuer):
        """Copies the files, with the issuer in the pages."""
        self.folder.mkdir()
        for file in FILES.iterdir():
            shutil.copy(file, self.folder)
        for page in self.folder.glob("*.html"):
            page.write_text(page.read_text().replace("https://auth.example", issuer))

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def new_page(browser):
    """A page of a browser that has no cookies."""
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE * 1000)
    return page


def enter(page, site):
    """Signs in as a person does."""
    page.goto(site.origin + "/index.html")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Username", exact=True).fill(USER)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    # Asked once only, if the server remembers the answer.
    allow = page.get_by_role("button", name="Allow", exact=True)
    allow.or_(page.locator("#user")).first.wait_for()
    if allow.is_visible():
        allow.click()
    page.wait_for_url(site.origin + "/callback.html")


def said_after(page, previous=""):
    """What the page says once it says something else."""
    page.wait_for_function("previous => !['Signing in ...', previous].includes(document.getElementById('user').textContent)"
                           " || document.getElementById('problem').textContent", arg=previous)
    return page.locator("#user").inner_text() + page.locator("#problem").inner_text()


def sign_in(page, site):
    """Signs in, refreshes and signs out; returns what the page says at the end of each step."""
    enter(page, site)
    said = []
    for button in ("Refresh", "Sign out", None):
        said.append(said_after(page, said[-1] if said else ""))
        if button:
            page.get_by_role("button", name=button).click()
    return said


def is_key_readable(page):
    """Whether a script of the page can take the private key away."""
    return page.evaluate(
        """async () => {
            const db = await new Promise((resolve) => {
                const opening = indexedDB.open("keys", 1)
                opening.onsuccess = () => resolve(opening.result)
            })
            const pair = await new Promise((resolve) => {
                const read = db.transaction("keys").objectStore("keys").get("page")
                read.onsuccess = () => resolve(read.result)
            })
            return crypto.subtle.exportKey("jwk", pair.privateKey).then(() => true, () => false)
        }"""
    )


def shown(site, nonce=None):
    """The fields with which a server at another origin lets the app read its response."""
    fields = {
        "Access-Control-Allow-Origin": site.origin, "Access-Control-Expose-Headers": "DPoP-Nonce, WWW-Authenticate",
        "Content-Type": "application/json",
    }
    return {**fields, "DPoP-Nonce": nonce} if nonce else fields


class Answers:
    """Answers requests of a page in place of a server, and keeps them."""

    def __init__(self, page, pattern, site, answers):
        self.site, self.answers, self.requests = site, list(answers), []
        page.route(pattern, self.answer)

    def answer(self, route):
        self.requests.append(route.request)
        status, nonce, document = self.answers.pop(0)
        route.fulfill(status=status, headers=shown(self.site, nonce), body=json.dumps(document))

    def sent(self, name):
        """A parameter of each request."""
        return [parse_qs(request.post_data).get(name, [None])[0] for request in self.requests]


def outcome(page, code):
    """What a call of the app returns, or its error."""
    return page.evaluate(
        "async (code) => { const app = await import('./app.js');"
        " return Function('app', `return ${code}`)(app).then((value) => value ?? null, (error) => error.message) }",
        code,
    )


def api_problems(page, site):
    """What is wrong with a call that sends something to an API at another origin."""
    api = Answers(page, API + "/**", site, [(401, "first", {}), (200, None, "written")])
    # Not as the browser sends it: the proof must be for what is sent (RFC 9449 section 4.3).
    url = API.replace("api", "API") + ":443/all/../my notes?x=1#y"
    said = outcome(page, f"app.callAPI('post', '{url}', {{ text: 'a' }}).then((response) => response.json())")
    if said != "written" or len(api.requests) != 2:
        yield f"the API was asked {len(api.requests)} times, and the app got {said}"
        return
    fields = api.requests[1].headers
    claims = json.loads(base64.urlsafe_b64decode(fields["dpop"].split(".")[1] + "=="))
    token = fields["authorization"].removeprefix("DPoP ")
    digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).decode().rstrip("=")
    got = {name: claims.get(name) for name in ("htm", "htu", "ath", "nonce")}
    if got != {"htm": "POST", "htu": API + "/my%20notes", "ath": digest, "nonce": "first"} or api.requests[1].post_data != '{"text":"a"}':
        yield f"the API got {got} and {api.requests[1].post_data}"


def redirect_problems(page, site):
    """What is wrong with a call that an API redirects: the token must not go along."""
    followed = []
    page.on("request", lambda request: followed.append(request.url) if request.url.endswith("?moved") else None)
    said = outcome(page, f"app.callAPI('GET', '{site.origin}/moved').then((response) => response.url)")
    if said != "Failed to fetch" or followed:
        yield f"a redirected call gave {said} and led to {followed}"


def refresh_problems(page, site):
    """What is wrong when the server keeps the refresh token, or gives out a token without a key."""
    token = {"access_token": "second", "token_type": "DPoP"}
    server = Answers(page, "**/token", site, [(200, None, token), (200, None, token), (200, None, {**token, "token_type": "Bearer"})])
    said = [outcome(page, "app.refresh()") for _ in range(3)]
    if said != [None, None, "the token is not bound to the key"]:
        yield f"refreshing gave {said}"
    if None in server.sent("refresh_token") or len(set(server.sent("refresh_token"))) != 1:
        yield "the refresh token was lost"


def sign_out_problems(page, site):
    """What is wrong with signing out when the server gave out no refresh token."""
    def strip(route):
        response = route.fetch()
        answer = {name: value for name, value in response.json().items() if name != "refresh_token"}
        fields = shown(site, response.headers.get("dpop-nonce"))
        route.fulfill(status=response.status, headers=fields, body=json.dumps(answer))

    page.route("**/token", strip)
    enter(page, site)
    said_after(page)
    server = Answers(page, "**/revoke", site, [(200, None, {})])
    said = outcome(page, "app.refresh()"), outcome(page, "app.revoke()")
    if said != ("there is no refresh token: sign in again", None) or server.sent("token") in ([None], ["undefined"]):
        yield f"without a refresh token the app said {said} and revoked {server.sent('token')}"
    again = outcome(page, "app.revoke()")
    if again is not None or len(server.requests) != 1:
        yield f"signing out twice gave {again} after {len(server.requests)} requests"


def problems_of(browser, own, stranger):
    page = new_page(browser)
    said = sign_in(page, own)
    if not (said[0].startswith("You are ") and said[1].endswith("The token is new.") and said[2] == "You are signed out."):
        yield f"the app said {said}"
    if is_key_readable(page):
        yield "a script can read the private key"
    page = new_page(browser)
    enter(page, own)
    said_after(page)
    yield from api_problems(page, own)
    yield from redirect_problems(page, own)
    yield from refresh_problems(page, own)
    yield from sign_out_problems(new_page(browser), own)
    page = new_page(browser)
    page.goto(stranger.origin + "/index.html")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_function("document.getElementById('problem').textContent")
    if page.url != stranger.origin + "/index.html" or "fetch" not in page.locator("#problem").inner_text():
        yield f"an origin that nobody registered got to {page.url}: {page.locator('#problem').inner_text()}"


def run(keybound, environment, directory):
    """What went wrong, or nothing."""
    folder = Path(directory) / "app"
    folder.mkdir()
    with Site(folder / "own") as own, Site(folder / "stranger") as stranger:
        with Server(keybound, environment, folder) as server:
            server.operator(
                "client", "add", "--id", "page", "--name", "Page", "--redirect-uri", own.origin + "/callback.html",
                "--allowed-web-origin", own.origin, "--scope", "openid", "--scope", "notes:read",
            )
            for site in (own, stranger):
                site.fill(server.issuer)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=CHROMIUM, headless=True, args=["--disable-dev-shm-usage", "--disable-gpu"]
                )
                try:
                    return list(problems_of(browser, own, stranger))
                finally:
                    browser.close()
