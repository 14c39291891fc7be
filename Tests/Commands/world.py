# SPDX-License-Identifier: Apache-2.0
"""The machine that the documents speak of: their names, their certificates, their proxy, their database.

It is made of namespaces: it has a network, /etc, /usr, /var and /run of its own, and ends with the process that made it.
Programs that the documents name and Debian does not have stand in its path.
"""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Tests" / "Interop"), str(ROOT / "Tests" / "Tutorials")]
from certificates import Certificates  # noqa: E402
from database import Database  # noqa: E402

PASSWORD = "correct horse battery staple"
USER = "ada"
NAMES = "auth.example.com old.example.com api.example.com mcp.example.com attester.example.com app.example.com db.example"
ADDRESSES = ["10.0.0.2", "10.0.0.11"]
FOLDER = ROOT / ".build" / "commands"
PATIENCE = 300
# The API behind the gateway: who asks, or the tools of an MCP server.
API = """
import http.server, json
class API(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        message = json.loads(self.rfile.read(length) or "{}")
        answer = {"subject": self.headers["X-Keybound-Subject"]}
        if self.path == "/mcp":
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"tools": []}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
    def log_message(self, *arguments): pass
http.server.ThreadingHTTPServer(("127.0.0.1", 9000), API).serve_forever()
"""
NGINX = """
user root;
pid /run/nginx.pid;
error_log /var/log/nginx/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    ssl_certificate {certificate}.crt;
    ssl_certificate_key {certificate}.key;
    include /etc/nginx/conf.d/*.conf;
    server {{ listen 443 ssl; server_name old.example.com; location / {{ proxy_pass http://127.0.0.1:8082; proxy_set_header Host $host; }} }}
    server {{ listen 443 ssl; server_name attester.example.com; location / {{ proxy_pass http://127.0.0.1:8090; }} }}
    server {{ listen 443 ssl; server_name app.example.com; root {work}; location /.well-known/ {{ default_type application/json; alias {work}/; }} }}
}}
"""


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options)
    if result.returncode:
        sys.exit(f"commands: {shlex.join(map(str, command))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def enter():
    """Runs this program again in namespaces of its own; returns there."""
    if os.environ.get("KEYBOUND_COMMANDS") == "inside":
        return
    if os.getuid() != 0:
        sys.exit("commands: needs root, for a network and an /etc of its own")
    os.environ["KEYBOUND_COMMANDS"] = "inside"
    namespaces = ["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"]
    os.execvp("unshare", ["unshare", *namespaces, sys.executable, "-B", *sys.argv])


class World:
    """What is there before the first command."""

    def __init__(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", "mode=0755", "commands", FOLDER)
        self.home, self.work = FOLDER / "home", FOLDER / "work"
        self.home.mkdir()
        self.work.mkdir()
        for name in ("etc", "usr", "var"):
            upper, inner = FOLDER / name / "upper", FOLDER / name / "inner"
            upper.mkdir(parents=True)
            inner.mkdir()
            run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/{name},upperdir={upper},workdir={inner}", f"/{name}")
        run("mount", "-t", "tmpfs", "-o", "mode=0755", "run", "/run")
        run("ip", "link", "set", "lo", "up")
        for address in ADDRESSES:
            run("ip", "address", "add", f"{address}/32", "dev", "lo")
        with open("/etc/hosts", "a", encoding="utf-8") as hosts:
            hosts.write(f"127.0.0.1 {NAMES}\n")
        self.install()
        self.certify()
        self.environment = {
            "HOME": str(self.home), "PATH": f"{FOLDER}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
            "USER": USER, "BROWSER": str(FOLDER / "bin/browser"), "XDG_RUNTIME_DIR": "/run/user", "MANPAGER": "cat",
        }
        Path("/run/user").mkdir(mode=0o700)

    def install(self):
        """The command, and programs that a reader has."""
        shutil.copy(ROOT / ".build/debug/keybound", "/usr/bin/keybound")
        for folder in ("/etc/keybound", "/var/lib/keybound"):
            shutil.rmtree(folder, ignore_errors=True)
        Path("/var/log/nginx").mkdir(parents=True, exist_ok=True)
        # There is one user here, who may do all this.
        self.program("sudo", 'if [ "$1" = -u ]; then shift 2; fi\nexec "$@"')
        self.program("pass", f"[ \"$*\" = 'show keybound/ada' ] && echo '{PASSWORD}'")
        person = shlex.join([sys.executable, "-B", str(ROOT / "Tests/Tutorials/browser"), USER, PASSWORD])
        self.program("browser", f'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt exec {person} "$1" 2>>{FOLDER}/browser.log')

    @staticmethod
    def program(name, script):
        path = FOLDER / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def certify(self):
        """One certificate for all names, which this machine trusts."""
        folder = FOLDER / "certificates"
        folder.mkdir()
        certificates = Certificates(folder)
        certificates.issue("example", "/CN=example.com", ",".join(f"DNS:{name}" for name in NAMES.split()))
        self.certificate, self.authority = folder / "example", folder / "authority.crt"
        with open("/etc/ssl/certs/ca-certificates.crt", "ab") as trusted:
            trusted.write(self.authority.read_bytes())
        for ending in ("crt", "key"):
            for name in ("auth", "api", "mcp"):
                shutil.copy(f"{self.certificate}.{ending}", f"/etc/ssl/{name}.example.com.{ending}")

    def start_proxy(self):
        Path("/etc/nginx/nginx.conf").write_text(NGINX.format(certificate=self.certificate, work=self.work), encoding="utf-8")
        run("nginx")

    def restart_proxy(self):
        """After a reload, processes with the former configuration would answer for a moment."""
        run("nginx", "-s", "stop")
        wait_for(lambda: not Path("/run/nginx.pid").exists())
        run("nginx")

    def start_api(self):
        subprocess.Popen([sys.executable, "-c", API])
        wait_for(lambda: listens(9000))

    @contextlib.contextmanager
    def tpm(self):
        """A TPM for a few commands: without a resource manager it has space for three keys until it starts again."""
        state = FOLDER / "tpm"
        state.mkdir(exist_ok=True)
        emulator = subprocess.Popen(
            ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={state}", "--flags", "not-need-init,startup-clear", "--server",
             "type=tcp,port=2321,bindaddr=127.0.0.1", "--ctrl", "type=tcp,port=2322,bindaddr=127.0.0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: listens(2321) and listens(2322))
        self.environment["KEYBOUND_TPM"] = "swtpm:host=127.0.0.1,port=2321"
        yield
        del self.environment["KEYBOUND_TPM"]
        emulator.terminate()
        emulator.wait()

    def start_keyring(self):
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/run/user/bus"
        subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=/run/user/bus"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(Path("/run/user/bus").exists)
        keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], stdin=subprocess.PIPE,
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        keyring.stdin.write(b"password of the keyring")
        keyring.stdin.close()
        wait_for((self.home / ".local/share/keyrings/login.keyring").exists)

    def start_database(self):
        """PostgreSQL with TLS, which has no roles yet."""
        folder = Path("/run/database")
        folder.mkdir(mode=0o711)
        for ending in ("crt", "key"):
            shutil.copy(f"{self.certificate}.{ending}", folder / f"server.{ending}")
            shutil.chown(folder / f"server.{ending}", "postgres")
        (folder / "server.key").chmod(0o600)
        tls = f"-c ssl=on -c ssl_cert_file={folder}/server.crt -c ssl_key_file={folder}/server.key -c ssl_min_protocol_version=TLSv1.3"
        self.database = Database(folder, 5432, tls)


def listens(port):
    """Whether a program listens at a port of 127.0.0.1; it learns nothing of the question."""
    return f"0100007F:{port:04X} 00000000:0000 0A" in Path("/proc/net/tcp").read_text()


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    sys.exit("commands: gave up waiting")


def change(path, changes):
    """Adds settings to a configuration."""
    path = Path(path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")
