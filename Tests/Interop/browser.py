# SPDX-License-Identifier: Apache-2.0
"""A browser without a window: walks Keybound's pages by their HTML, as a person would fill them in."""

from http.cookiejar import DefaultCookiePolicy
from urllib.parse import urljoin, urlsplit

import requests

from form import Form
from table import StepFailed

PATIENCE = 10


class EveryDomain(DefaultCookiePolicy):
    """For one origin only. Python takes no cookie for the domain .127.0.0.1, browsers do (RFC 6265 section 5.2.3)."""

    def set_ok_domain(self, cookie, request):
        return True

    def return_ok_domain(self, cookie, request):
        return True

    def domain_return_ok(self, domain, request):
        return True


def origin(url):
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def walk(url, username, password, decision="allow", ends_on_page=False):
    """Opens `url`, signs in and decides; returns the URL of another origin that the server sends the browser to.

    With `ends_on_page` it returns the first page on which there is nothing to do: a device gets the answer elsewhere.
    """
    session = requests.Session()
    session.cookies.set_policy(EveryDomain())
    response = session.get(url, allow_redirects=False, timeout=PATIENCE)
    for _ in range(10):
        if response.is_redirect:
            target = urljoin(response.url, response.headers["Location"])
            if origin(target) != origin(url):
                return target
            response = session.get(target, allow_redirects=False, timeout=PATIENCE)
            continue
        form = Form(response.text)
        if form.action is None and ends_on_page and response.ok:
            return response.text
        if form.action is None:
            raise StepFailed(f"a page without a form, status {response.status_code}")
        fields = {**form.fields}
        if "password" in fields:
            fields.update({"user" if "user" in fields else "username": username, "password": password})
        elif "login" in fields:
            fields.update(login=username)
        elif form.buttons:
            fields.update([button for button in form.buttons if button[1] == decision])
        response = session.post(
            urljoin(response.url, form.action), data=fields, allow_redirects=False, timeout=PATIENCE,
            headers={"Origin": origin(response.url)},
        )
    raise StepFailed("the pages have no end")
