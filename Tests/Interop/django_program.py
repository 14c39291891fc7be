# SPDX-License-Identifier: Apache-2.0
"""A site with Django OAuth Toolkit (PyPI): an authorization server with PKCE and RFC 8414 metadata, and a protected view.

It has no DPoP. Called with a folder for its database; tells where it is as one line of JSON and runs until SIGTERM.
"""

import json
import secrets
import sys
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path

SCOPE = "notes"
CLIENT_ID = "keybound-app"
USERNAME = "alice"
REDIRECT_URI = "http://127.0.0.1/callback"
# Everything that RFC 9700 asks for and that this version leaves to the operator.
BEST_CURRENT_PRACTICE = [
    "IMPLICIT_GRANT", "PASSWORD_GRANT", "PKCE_METHOD", "ACCESS_TOKEN_TRANSPORT", "AUTHZ_RESPONSE_ISS", "TOKEN_STORAGE",
    "REFRESH_TOKEN", "REDIRECT_URI_SCHEME", "REDIRECT_URI_MATCHING", "PKCE_REQUIRED",
]
LOGIN_PAGE = '''
<form method="post">{% csrf_token %}{{ form }}<input type="hidden" name="next" value="{{ next }}"><button>Log in</button></form>
'''


def configure(directory):
    settings.configure(
        SECRET_KEY=secrets.token_hex(32),
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        LOGIN_URL="/login/",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(Path(directory) / "django.db")}},
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }],
        OAUTH2_PROVIDER={
            "SCOPES": {SCOPE: "Read your notes"}, "PKCE_REQUIRED": True, "ACCESS_TOKEN_EXPIRE_SECONDS": 300,
            **{f"COMPLIANT_BCP_RFC9700_{rule}": True for rule in BEST_CURRENT_PRACTICE},
        },
    )
    django.setup()
    call_command("migrate", verbosity=0)


def register(password):
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    User.objects.create_user(USERNAME, password=password)
    Application.objects.create(
        name="Keybound", client_id=CLIENT_ID, client_type=Application.CLIENT_PUBLIC, client_secret="",
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, redirect_uris=REDIRECT_URI,
    )


def routes():
    from django.contrib.auth.views import LoginView
    from oauth2_provider.decorators import protected_resource

    @protected_resource(scopes=[SCOPE])
    def notes(request):
        return JsonResponse({"owner": request.resource_owner.get_username()})

    return [
        path("login/", LoginView.as_view()), path("notes/", notes), path("", include("oauth2_provider.urls")),
    ]


class SilentHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def main(directory):
    global urlpatterns
    configure(directory)
    password = secrets.token_urlsafe(12)
    register(password)
    urlpatterns = routes()
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=SilentHandler)
    origin = f"http://127.0.0.1:{server.server_port}"
    print(json.dumps({
        "issuer": origin, "api": origin + "/notes/", "client_id": CLIENT_ID, "redirect_uri": REDIRECT_URI, "scope": SCOPE,
        "username": USERNAME, "password": password,
    }), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
