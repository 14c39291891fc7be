# SPDX-License-Identifier: Apache-2.0
"""The list of components says what the program is made of, and names what the sources load."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "distribution"))

import sbom  # noqa: E402

LDD = """\
\tlinux-vdso.so.1 (0x00007f80326c2000)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f8030d20000)
\tlibcrypto.so.3 => /usr/lib/x86_64-linux-gnu/libcrypto.so.3 (0x00007f8030e00000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f80326c4000)
"""
OWNERS = {
    "/lib/x86_64-linux-gnu/libm.so.6": "libc6:amd64",
    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3": "libssl3:amd64",
}
VERSIONS = {"libc6": "2.36-9+deb12u10", "libssl3": "3.0.17-1", "libcurl4": "1:7.88", "libstdc++-12-dev": "12.2.0-14"}


def machine(*command):
    """Answers as the commands of a Debian that has few of the packages."""
    match command:
        case ("dpkg", "--print-architecture"):
            return "amd64\n"
        case ("ldd", _):
            return LDD
        case ("swift", "--version"):
            return "Swift version 6.3.1 (swift-6.3.1-RELEASE)\n"
        case ("dpkg-query", "--search", path):
            return f"{OWNERS[path]}: {path}\n" if path in OWNERS else ""
        case ("dpkg-query", "--show", _, package):
            return VERSIONS.get(package, "")
    raise AssertionError(command)


class Components(unittest.TestCase):
    def setUp(self):
        self.parts = sbom.components("keybound", machine)
        self.named = {part["name"]: part for part in self.parts}

    def test_each_component_once_with_its_use(self):
        self.assertEqual(len(self.parts), len(self.named))
        self.assertEqual(len({part["bom-ref"] for part in self.parts}), len(self.parts))
        uses = {name: part["properties"][0]["value"] for name, part in self.named.items()}
        self.assertEqual(uses["swift"], "static")
        self.assertEqual(uses["libssl3"], "linked")
        self.assertEqual(uses["libcurl4"], "loaded")

    def test_versions_are_the_installed_ones_and_escaped_in_the_url(self):
        self.assertEqual(self.named["swift"]["version"], "6.3.1")
        self.assertEqual(self.named["libc6"]["version"], "2.36-9+deb12u10")
        self.assertEqual(
            self.named["libc6"]["purl"], "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12"
        )
        self.assertIn("@1%3A7.88?", self.named["libcurl4"]["purl"])
        self.assertNotIn("version", self.named["libpq5"])

    def test_a_library_of_no_package_is_an_error(self):
        with self.assertRaises(SystemExit):
            sbom.package_of("/opt/libother.so", machine)


class Document(unittest.TestCase):
    def test_the_same_program_gives_the_same_document_and_another_one_another(self):
        parts = sbom.components("keybound", machine)
        with tempfile.NamedTemporaryFile() as program:
            program.write(b"one")
            program.flush()
            first = sbom.document(program.name, "0.9.0", 0, parts)
            self.assertEqual(first, sbom.document(program.name, "0.9.0", 0, parts))
            program.write(b"two")
            program.flush()
            second = sbom.document(program.name, "0.9.0", 0, parts)
        self.assertNotEqual(first["serialNumber"], second["serialNumber"])
        self.assertEqual(first["metadata"]["timestamp"], "1970-01-01T00:00:00Z")
        self.assertEqual(first["dependencies"][0]["dependsOn"], [part["bom-ref"] for part in parts])


class Sources(unittest.TestCase):
    def test_the_table_has_what_the_sources_load(self):
        # Lanes (libcrypto_mb) are found in a directory that the operator names, and belong to no package.
        self.assertEqual(sbom.loads_in_sources(), set(sbom.LOADED))
        self.assertTrue(sbom.LOAD.search('dlopen("libnew.so.1", RTLD_NOW)'))


if __name__ == "__main__":
    unittest.main()
