#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what the optimized command is made of, and what it needs, as CycloneDX 1.5 (`make dist`).

  scripts/distribution/sbom.py PROGRAM VERSION SECONDS     SECONDS since 1970: when the release was made

The property `keybound:use` says how the command comes by a component: `static` (its code is in the file), `linked` (the
system's library, there at every start) or `loaded` (only if a setting or a command needs it).
"""

import hashlib
import json
import platform
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# What the sources load while they run: the file that they name, and the package of Debian 12 that has it.
LOADED = {
    "libcurl.so.4": "libcurl4",
    "libpq.so.5": "libpq5",
    "libhiredis.so.0.14": "libhiredis0.14",
    "libtss2-tctildr.so.0": "libtss2-tctildr0",
    "libtss2-esys.so.0": "libtss2-esys-3.0.2-0",
    "libdbus-1.so.3": "libdbus-1-3",
}
# A load in the sources: the wrapper around dlopen, dlopen itself, or a type of ours that is made with the file's name.
LOAD = re.compile(r'(?:SharedLibrary|CurlLibrary|dlopen)\(\s*"(lib[^"]+)"')
# A line of ldd: "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x...)".
LINKED = re.compile(r"^\s*\S+ => (/\S+) \(", re.MULTILINE)


def loads_in_sources(root=ROOT):
    """The names of the libraries that the sources load."""
    files = [path for path in (root / "Sources").rglob("*") if path.suffix in {".swift", ".c"}]
    return {name for path in files for name in LOAD.findall(path.read_text(encoding="utf-8"))}


def output_of(*command):
    """What a command prints; the empty string if it fails."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def linked_files(ldd_output):
    """The files of ldd's output that are libraries, sorted."""
    return sorted(LINKED.findall(ldd_output))


def package_of(file, query=output_of):
    """The package that a file belongs to; dpkg may know it below /usr or without."""
    for path in (file, "/usr" + file, file.removeprefix("/usr")):
        if owner := query("dpkg-query", "--search", path):
            return owner.split(":")[0].split(",")[0]
    raise SystemExit(f"sbom: no package has {file}: the list needs libraries that Debian installed")


def debian(package, use, architecture, query=output_of):
    """The component of a Debian package. Its version is missing if it is not installed here."""
    component = {"type": "library", "name": package, "properties": [{"name": "keybound:use", "value": use}]}
    reference = f"pkg:deb/debian/{package}"
    if version := query("dpkg-query", "--show", "--showformat=${Version}", package):
        component["version"] = version
        reference += "@" + version.replace(":", "%3A").replace("+", "%2B")
    component["purl"] = component["bom-ref"] = f"{reference}?arch={architecture}&distro=debian-12"
    return component


def swift(version_output):
    """Swift's runtime and standard library, whose code is in the program."""
    found = re.search(r"Swift version (\d+(?:\.\d+)+)", version_output)
    if not found:
        raise SystemExit("sbom: swift --version names no version")
    reference = f"pkg:generic/swift@{found[1]}"
    return {
        "type": "library",
        "name": "swift",
        "version": found[1],
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
        "purl": reference,
        "bom-ref": reference,
        "properties": [{"name": "keybound:use", "value": "static"}],
    }


def components(program, query=output_of):
    """Everything that is in the program or that it uses, each once."""
    architecture = query("dpkg", "--print-architecture").strip() or platform.machine()
    linked = {package_of(file, query) for file in linked_files(query("ldd", str(program)))}
    loaded = set(LOADED.values()) - linked
    return (
        [swift(query("swift", "--version")), debian("libstdc++-12-dev", "static", architecture, query)]
        + [debian(package, "linked", architecture, query) for package in sorted(linked)]
        + [debian(package, "loaded", architecture, query) for package in sorted(loaded)]
    )


def document(program, version, seconds, parts):
    """The whole document: the same program, time and parts give the same bytes."""
    digest = hashlib.sha256(Path(program).read_bytes()).hexdigest()
    reference = f"pkg:generic/keybound@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, reference + '#' + digest)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "name": "keybound",
                "version": version,
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "purl": reference,
                "bom-ref": reference,
            },
        },
        "components": parts,
        "dependencies": [{"ref": reference, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def main(program, version, seconds):
    json.dump(document(program, version, int(seconds), components(program)), sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
