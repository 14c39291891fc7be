# SPDX-License-Identifier: Apache-2.0
"""Signs in with Examples/BrowserApp in a real browser, from another origin than the server's, and from one that nobody registered."""

import functools
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

from every_page import CHROMIUM, PASSWORD, USER, Server

FILES = Path(__file__).resolve().parent.parent.parent / "Examples" / "BrowserApp"


class Quiet(SimpleHTTPRequestHandler):
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


def sign_in(page, site):
    """As a person does; returns what the page says at the end of each step."""
    page.goto(site.origin + "/index.html")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Username", exact=True).fill(USER)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Allow", exact=True).click()
    page.wait_for_url(site.origin + "/callback.html")
    said = []
    for button in ("Refresh", "Sign out", None):
        page.wait_for_function("previous => !['Signing in ...', previous].includes(document.getElementById('user').textContent)"
                               " || document.getElementById('problem').textContent", arg=said[-1] if said else "")
        said.append(page.locator("#user").inner_text() + page.locator("#problem").inner_text())
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


def problems_of(browser, own, stranger):
    page = browser.new_context().new_page()
    said = sign_in(page, own)
    if not (said[0].startswith("You are ") and said[1].endswith("The token is new.") and said[2] == "You are signed out."):
        yield f"the app said {said}"
    if is_key_readable(page):
        yield "a script can read the private key"
    page = browser.new_context().new_page()
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
