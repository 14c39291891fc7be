// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

/// What the pages in docs tell an operator to write and to type.
@Suite("Configurations and registrations in the documents")
struct DocumentedServerTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// RFC 7517 appendix A.1.
    private static let keys = """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"1","alg":"ES256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
        """

    /// Where the pages say `/etc`.
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["attester.jwks", "billing.jwks"] { try directory.write(Self.keys, to: name) }
        try directory.write("123456", to: "keybound-pin")
    }

    /// The pages beside the tutorials, which `Tests/Tutorials/run` follows.
    private static func pages() throws -> [(name: String, text: String)] {
        let docs = root.appending(path: "docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: docs.path).filter { $0.hasSuffix(".md") }
        return try names.sorted().map { ($0, try String(contentsOf: docs.appending(path: $0), encoding: .utf8)) }
    }

    /// The contents of the fences of a page with one of these languages.
    private static func fences(_ languages: Set<String>, in page: String) -> [String] {
        page.components(separatedBy: "\n```").enumerated().compactMap { index, part in
            guard index % 2 == 1, let line = part.firstIndex(of: "\n"), languages.contains(String(part[..<line])) else {
                return nil
            }
            return String(part[line...].dropFirst())
        }
    }

    private func local(_ text: String) -> String {
        text.replacing("/etc/keybound/", with: directory.path + "/").replacing(
            "/etc/keybound-pin",
            with: directory.path + "/keybound-pin"
        )
    }

    /// Members of what is no configuration of the server: log lines, tokens, rules and issuers of a gateway, clients,
    /// another program.
    private static var isOfAnotherKind: Regex<(Substring, Substring)> {
        /"(time|iat|sub|path|issuers|client_id|mcpServers)":/
    }

    @Test func `every configuration passes the check of the server`() async throws {
        var checked = 0
        for (name, page) in try Self.pages() {
            for fence in Self.fences(["json"], in: page) where !fence.contains(Self.isOfAnotherKind) {
                // Some pages show a part only, and neither the issuer nor the scopes of the resources.
                let hasScopes = fence.contains("\"scopes\": {")
                let scopes = hasScopes ? "" : #""scopes": {"files:read": null, "vault:open": null},"#
                var text = local(fence.hasPrefix("{") ? fence : "{\(scopes)\(fence)}")
                if !text.contains("\"issuer\"") {
                    text = "{\"issuer\": \"https://auth.example.com\"," + text.dropFirst()
                }
                try directory.write(text, to: "keybound.json")
                let result = try await KeyboundProcess.run(
                    ["serve", "--check", "--config", "keybound.json"],
                    in: directory
                )
                #expect(result.status == 0, "\(name): \(result.errors)\n\(text)")
                checked += 1
            }
        }
        #expect(checked >= 6)
    }

    @Test func `every client can be registered as the page says`() async throws {
        let scopes = #""scopes": {"openid": null, "api:read": null, "notes:read": null}"#
        try directory.write("{\"issuer\": \"https://auth.example.com\", \(scopes)}", to: "keybound.json")
        var registered = 0
        for (name, page) in try Self.pages() {
            let lines = Self.fences(["", "sh"], in: page).joined(separator: "\n").replacing(/\\\n\s*/, with: "")
            for line in lines.split(separator: "\n") {
                // What follows the words is for a shell, with its quotes.
                guard let words = line.wholeMatch(of: /(?:sudo -u keybound )?keybound client add (.*--[^\[]*)/)?.1
                else { continue }
                registered += 1
                let options = words.replacing(/--config \S+/, with: "")
                let result = try await KeyboundProcess.run(
                    ["client", "add", "--config", "keybound.json", "--database", "\(registered).db"],
                    in: directory,
                    through: "exec \"$@\" \(options)"
                )
                #expect(result.status == 0, "\(name): \(line)\n\(result.errors)")
            }
        }
        #expect(registered >= 10)
    }
}
#endif
