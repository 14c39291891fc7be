# SPDX-License-Identifier: Apache-2.0
"""Certificates for one run, made with OpenSSL's command: an authority, a server, and clients, known and unknown."""

import subprocess
from pathlib import Path


class Certificates:
    """Files in PEM: NAME.crt and NAME.key, for the names below."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.authority = self.self_signed("authority", "/CN=Interop authority", "CA:TRUE")
        self.issue("server", "/CN=127.0.0.1", "IP:127.0.0.1")
        self.issue("client", "/CN=service", "DNS:service.example")
        self.issue("stranger", "/CN=stranger", "DNS:stranger.example")
        self.self_signed("client-alone", "/CN=service", "CA:FALSE")
        self.self_signed("stranger-alone", "/CN=service", "CA:FALSE")

    def path(self, name):
        return str(self.directory / name)

    def pair(self, name):
        return [self.path(name + ".crt"), self.path(name + ".key")]

    def self_signed(self, name, subject, constraint):
        self.openssl(
            "req", "-x509", *self.new_key(name), "-subj", subject, "-days", "2", "-out", self.path(name + ".crt"),
            "-addext", "basicConstraints=critical," + constraint,
        )
        return self.path(name + ".crt")

    def issue(self, name, subject, alternative):
        request = self.path(name + ".csr")
        self.openssl(
            "req", *self.new_key(name), "-subj", subject, "-out", request,
            "-addext", "subjectAltName=" + alternative,
        )
        self.openssl(
            "x509", "-req", "-in", request, "-CA", self.path("authority.crt"), "-CAkey", self.path("authority.key"),
            "-days", "2", "-copy_extensions", "copy", "-out", self.path(name + ".crt"),
        )

    def new_key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.path(name + ".key")]

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)
