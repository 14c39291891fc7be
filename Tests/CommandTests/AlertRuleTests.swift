// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Foundation
import Testing

@Suite("Alerts for Prometheus")
struct AlertRuleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let rules = try? String(
        contentsOf: root.appending(path: "Examples/prometheus/keybound.rules.yml"),
        encoding: .utf8
    )

    /// Everything that the command and the gateway print as a metric.
    private static func sources(_ folder: String = "Sources/KeyboundCommand") throws -> String {
        let folder = root.appending(path: folder)
        let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let files = try #require(paths).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    @Test func `every series of the rules is one that the server or the gateway has`() throws {
        let rules = try #require(Self.rules)
        let sources = try Self.sources()
        let names = Set(rules.matches(of: /\b(?:keybound|process)_[a-z_]+/).map { String($0.output) })
        #expect(names.count > 8)
        for name in names {
            let family = name.replacing(/_bucket$/, with: "")
            #expect(sources.contains("\"\(family)\""), "\(name)")
        }
    }

    @Test func `the page for operators says what to do for every alert, and for no other`() throws {
        let rules = try #require(Self.rules)
        let page = try String(contentsOf: Self.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let alerts = rules.matches(of: /alert: (?<name>\w+)/).map { String($0.output.name) }
        let rows = page.matches(of: /(?m)^\| (?<name>Keybound\w+) \|/).map { String($0.output.name) }
        #expect(alerts.count > 10 && alerts == rows)
    }

    @Test func `every event of the rules is one of the audit log`() throws {
        let rules = try #require(Self.rules)
        let events = rules.matches(of: /event="(?<name>[a-z_]+)"/).map { String($0.output.name) }
        #expect(!events.isEmpty)
        let known = [AuditEvent.Kind.reuseDetected, .signInFailed].map(\.rawValue)
        for event in events { #expect(known.contains(event), "\(event)") }
    }

    @Test func `an endpoint of the rules is the path of a request, whatever the path of the issuer`() throws {
        let rules = try #require(Self.rules)
        let values = rules.matches(of: /endpoint=(?<value>~?"[^"]*")/).map { String($0.output.value) }
        // A regular expression of Prometheus is about the whole value.
        #expect(values == [#"~".*/token""#])
        let expression = try Regex(#".*/token"#)
        for path in ["/token", "/auth/token"] { #expect(path.wholeMatch(of: expression) != nil, "\(path)") }
        for path in ["token", "/token/x", "/mytoken"] { #expect(path.wholeMatch(of: expression) == nil, "\(path)") }
    }

    @Test func `every reason of the rules is one that the gateway counts`() throws {
        let rules = try #require(Self.rules)
        let names = rules.matches(of: /reason=~"(?<names>[a-z|-]+)"/).flatMap { $0.output.names.split(separator: "|") }
        let sources = try Self.sources("Sources/Gateway")
        #expect(names.count > 1)
        for name in names { #expect(sources.contains("\"\(name)\""), "\(name)") }
    }

    @Test func `a rule that compares with yesterday does so too when there was nothing yesterday`() throws {
        let rules = try #require(Self.rules)
        let comparisons = rules.matches(of: /offset 1d/).count
        #expect(comparisons > 0 && rules.matches(of: /offset 1d\)\) or vector\(0\)\)/).count == comparisons)
    }
}
