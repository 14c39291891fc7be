// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import TestSupport
import Testing

/// Where the two are comparable: Python has no grammar to refuse by, does not tell an empty part from none, and resolves
/// `..` above the root and empty first segments in another way than RFC 3986.
@Suite("RFC 3986: generated URIs, compared with Python's urllib", .computesForLong)
struct URIPythonTests {
    private static let reader = #"""
        import ipaddress, re
        from urllib.parse import urljoin, urlsplit

        UNRESERVED = re.compile("[A-Za-z0-9._~-]")

        def encodings(text):
            def one(match):
                letter = chr(int(match[1], 16))
                return letter if UNRESERVED.fullmatch(letter) else match[0].upper()
            return re.sub("%([0-9A-Fa-f]{2})", one, text)

        def answer(data):
            parts = urlsplit(data.decode("ascii"))
            host = parts.hostname or ""
            host = f"[{ipaddress.IPv6Address(host).compressed}]" if ":" in host else encodings(host).lower()
            port = "" if parts.port in (None, {"http": 80, "https": 443}.get(parts.scheme)) else f":{parts.port}"
            path = encodings(parts.path) or "/"
            joined = urlsplit(urljoin("http://h/", path)).path
            return "\t".join([
                parts.scheme, parts.hostname or "", str(parts.port), parts.path, parts.query, parts.fragment,
                f"{parts.scheme}://{host}{port}{joined}"])
        """#

    @Test func `parts and normal form are those of urllib`() async throws {
        var generator = URIGenerator(seed: 3986)
        let uris = (0..<4000).compactMap { _ in try? URI(parsing: generator.next()) }
        let comparable = uris.filter { URIGenerator.isComparable($0) }
        #expect(comparable.count > 1000)
        let answers = try await PythonProgram.answers(to: comparable.map { Array($0.description.utf8) }, Self.reader)
        for (uri, answer) in zip(comparable, answers) {
            let normalized = try uri.normalized()
            let parts = [
                uri.scheme.lowercased(), (uri.host ?? "").filter { $0 != "[" && $0 != "]" }.lowercased(),
                uri.port.map { "\($0)" } ?? "None", uri.path, uri.query ?? "", uri.fragment ?? "",
                (normalized.origin ?? "") + normalized.path,
            ]
            if parts.joined(separator: "\t") != answer { Issue.record("\(uri): \(parts), and urllib: \(answer)") }
        }
    }
}

private struct URIGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> String {
        let path = (0..<Int.random(in: 0...6, using: &generator)).map { _ in "/" + segment() }.joined()
        return pick(["http", "https", "HTTPS", "hTTp"]) + "://" + host()
            + pick(["", "", ":", ":80", ":443", ":0443", ":8080"])
            + path + pick(["", "", "?", "?a=b&c", "?%7e/../x?y"]) + pick(["", "", "#", "#f", "#%41/?"])
    }

    private mutating func host() -> String {
        pick([
            "example.com", "EXAMPLE.com.", "a-b.%41x", "127.0.0.1", "[::1]", "[2001:DB8:0:0:1:0:0:1]", "[1::]", "x%2e",
            "[2001:db8::1:1:1:1:1]", "a_b", "h!$&'()*+,=",
        ])
    }

    private mutating func segment() -> String {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            pick([".", "..", "a", "B", "%2e", "%2E", "%2f", "%41", "%7E", "%c3%bc", "~", ":", "@", "%25", "=", "-", ""])
        }.joined()
    }

    private mutating func pick(_ texts: [String]) -> String {
        texts.randomElement(using: &generator) ?? ""
    }

    /// RFC 5952 section 4.2.2 is met by both; climbing above the root and empty first segments are not.
    static func isComparable(_ uri: URI) -> Bool {
        guard !uri.path.hasPrefix("//") else { return false }
        var depth = 0
        var position = 0
        for name in uri.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let decoded = name.lowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(
                separator: "."
            )
            // A segment that is gone may leave an empty one in the first place.
            if decoded.isEmpty, depth == 0, position > 0 { return false }
            if decoded == ".." { depth -= 1 } else if decoded != "." { depth += 1 }
            guard depth >= 0 else { return false }
            position += 1
        }
        return true
    }
}
#endif
