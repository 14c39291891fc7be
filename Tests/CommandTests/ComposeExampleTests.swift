// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Examples/compose without an engine: what the command itself can say about it.
@Suite("Examples/compose")
struct ComposeExampleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/compose")

    private let text: String
    private let directory: TemporaryDirectory

    init() throws {
        text = try String(contentsOf: Self.folder.appending(path: "compose.yaml"), encoding: .utf8)
        directory = try TemporaryDirectory()
    }

    /// The variables of the services, without what compose itself fills in.
    private var variables: [String: String] {
        text.matches(of: /(?m)^ +(KEYBOUND_[A-Z_]+): (\S+)$/).reduce(into: [:]) { $0[String($1.1)] = String($1.2) }
    }

    @Test func `the server takes the configuration and the variables of the services`() async throws {
        #expect(variables.keys.sorted() == ["KEYBOUND_DATABASE", "KEYBOUND_KEY_CREDENTIAL_FILE"])
        try directory.write(Data(contentsOf: Self.folder.appending(path: "keybound.json")), to: "keybound.json")
        let check = try await KeyboundProcess.run(
            ["serve", "--check", "--config", "keybound.json", "--listen", "0.0.0.0:8080"],
            in: directory,
            environment: variables
        )
        #expect(check.status == 0, Comment(rawValue: check.errors))
        #expect(check.output.hasSuffix("the settings are valid\n"))
    }

    @Test func `the health checks ask at the address of --listen, whatever the configuration says`() throws {
        let image = try String(contentsOf: Self.folder.appending(path: "../../Containerfile"), encoding: .utf8)
        #expect(image.contains(#""--listen", "0.0.0.0:8080"]"#) && !text.contains("--listen"))
        for file in [image, text] {
            #expect(file.contains(#""/usr/bin/keybound", "health", "http://127.0.0.1:8080"]"#))
        }
    }

    @Test func `the database is reached by the socket that both services mount`() async throws {
        let address = try #require(variables["KEYBOUND_DATABASE"])
        #expect(address.contains("host=/var/run/postgresql&"))
        #expect(text.components(separatedBy: "- socket:/var/run/postgresql\n").count == 4)
        // Nothing listens there on this machine, so this is how far it gets: the address is read, and nobody answers.
        let migrated = try await KeyboundProcess.run(
            ["db", "migrate"],
            in: directory,
            environment: ["KEYBOUND_DATABASE": address.replacing("/var/run/postgresql", with: directory.path)]
        )
        #expect(migrated.status == 3, Comment(rawValue: migrated.errors))
    }
}
#endif
