// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Help and reference")
struct DocumentTests {
    @Test(arguments: CommandTable.commands.map { $0.syntax.words })
    func `help says every option and an example, and is the same both ways`(words: [String]) async throws {
        let directory = try TemporaryDirectory()
        let asked = try await KeyboundProcess.run(["help"] + words, in: directory)
        let option = try await KeyboundProcess.run(words + ["--help"], in: directory)
        #expect(asked.status == 0)
        #expect(asked.output == option.output)
        #expect(asked.errors.isEmpty && option.errors.isEmpty)
        let syntax = try #require(CommandTable.command(at: words)).syntax
        for option in syntax.options { #expect(asked.output.contains("  \(option.usage)")) }
        #expect(!syntax.examples.isEmpty)
        for line in asked.output.split(separator: "\n") where !line.hasPrefix("  ") {
            #expect(line.count <= 80)
        }
    }

    @Test func `the overview has every command`() async throws {
        let result = try await KeyboundProcess.run(["help"], in: TemporaryDirectory())
        for command in CommandTable.commands {
            let name = "  " + command.syntax.words.joined(separator: " ")
            // A long name has a line of its own.
            #expect(result.output.contains(name + "  ") || result.output.contains(name + "\n"))
        }
    }

    @Test func `no two options of a command have the same name or letter`() {
        for command in CommandTable.commands {
            let options = command.syntax.options
            #expect(Set(options.map(\.name)).count == options.count, "\(command.syntax.name)")
            let letters = options.compactMap(\.letter)
            #expect(Set(letters).count == letters.count, "\(command.syntax.name)")
        }
    }

    @Test func `options of client set name no default, because without them nothing changes`() {
        let own = [ClientMetadataOptions.all, ClientRequestOptions.all].flatMap { $0 }
        #expect(own.contains { $0.help.contains(" (default: ") })
        let names = Set(own.map(\.name))
        for option in SetClient.syntax.options where names.contains(option.name) {
            #expect(!option.help.contains("default:"), "\(option.name)")
            #expect(!option.help.hasSuffix(" "), "\(option.name)")
        }
    }

    @Test func `the default of an option is no part of its purpose`() {
        let option = Option.value("--size", "N", "how large (default: of the text) it is", default: "5")
        #expect(option.help == "how large (default: of the text) it is (default: 5)")
        #expect(option.withoutDefault.help == "how large (default: of the text) it is")
        for command in CommandTable.commands {
            for option in command.syntax.options { #expect(!option.purpose.contains("default:"), "\(option.name)") }
        }
    }

    /// Written by `keybound help --markdown >docs/cli.md`, and the same with `help configuration`.
    @Test(arguments: [
        ("docs/cli.md", ["help", "--markdown"]), ("docs/configuration.md", ["help", "configuration", "--markdown"]),
    ])
    func `the reference in docs is up to date`(path: String, words: [String]) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try Data(contentsOf: root.appendingPathComponent(path))
        let result = try await KeyboundProcess.run(words, in: TemporaryDirectory())
        let isCurrent = result.output == String(decoding: document, as: UTF8.self)
        #expect(isCurrent, "keybound \(words.joined(separator: " ")) >\(path)")
    }

    /// `keybound` with the words after it, in blocks of code and between backticks, up to what ends a command.
    private static func commandLines(in page: String) -> [[Substring]] {
        let joined = page.replacing("\\\n", with: " ")
        return joined.matches(of: /(?:^|[`(] ?|\n\s*|sudo (?:-u keybound )?|\$ )keybound ([a-z][^`\n|;<>&#)]*)/).map {
            $0.1.split(separator: " ")
        }
    }

    @Test func `every command line in the documents is one that the program takes`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let docs = root.appendingPathComponent("docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: docs.path).filter { $0.hasSuffix(".md") }
        var seen = 0
        for name in names.sorted().map({ "docs/" + $0 }) + ["README.md", "SECURITY.md"] {
            let page = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
            for words in Self.commandLines(in: page) where words.first != "help" {
                let path = words.prefix { !$0.hasPrefix("-") }.map(String.init)
                let isGroup = CommandTable.commands.contains { $0.syntax.words.starts(with: path) }
                guard let command = CommandTable.command(at: path) else {
                    #expect(isGroup, "\(name): keybound \(words.joined(separator: " "))")
                    continue
                }
                seen += 1
                let known = command.syntax.options.flatMap(\.names)
                for word in words where word.hasPrefix("--") && word.count > 2 {
                    let option = word.prefix { $0 != "=" && $0 != "," && $0 != "." }
                    #expect(known.contains(String(option)), "\(name): \(command.syntax.name) has no \(option)")
                }
            }
        }
        #expect(seen > 150)
    }

    @Test func `every audit event is in the documentation, and no other`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appendingPathComponent("Sources/AuthorizationServer/Audit/AuditEvent.swift"),
            encoding: .utf8
        )
        let kinds = Set(source.matches(of: /static let [a-zA-Z]+ = Self\("([a-z_]+)"\)/).map { String($0.1) })
        let page = try String(contentsOf: root.appendingPathComponent("docs/operations.md"), encoding: .utf8)
        let section = try #require(page.split(separator: "## Audit events").last).prefix { $0 != "#" }
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let documented = rows.flatMap { row in
            row.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.1) }
        }
        // Too many of them, and no audit log has it.
        #expect(Set(documented) == kinds.subtracting(["nonce_requested"]))
        #expect(Set(documented).count == documented.count)
        #expect(kinds.count > 30)
    }

    @Test func `the example of the configuration reference is in order`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(ConfigurationReference.example, to: "keybound.json")
        let result = try await KeyboundProcess.run(["serve", "--config", "keybound.json", "--check"], in: directory)
        #expect(result.status == 0, Comment(rawValue: result.errors))
    }
}
