// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Testing

@testable import AuthorizationServer
@testable import KeyboundCommand

@Suite("Messages name settings and options that exist")
struct SettingNameTests {
    @Test func `every rule of --check names a setting`() {
        let keys = Set(Setting.all.map(\.key))
        for rule in ConfigurationRule.all {
            #expect(keys.contains(rule.setting), "\(rule.name) names \(rule.setting)")
        }
    }

    @Test func `every error about a configuration names a setting`() throws {
        let keys = Set(Setting.all.map(\.key))
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/AuthorizationServer")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var seen = 0
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /\.invalid\(\s*"([A-Za-z.]+)"/) {
                seen += 1
                #expect(keys.contains(String(match.1)), "\(file.lastPathComponent): \(match.1)")
            }
        }
        #expect(seen > 20)
    }

    @Test func `every option in a text of the command is one of its options`() throws {
        let commands = CommandTable.commands.flatMap { $0.syntax.options.map(\.name) }
        // The last one is curl's.
        let general = ["--help", "--version", "--config", "--quiet", "--markdown", "--unix-socket"]
        let known = Set(commands + Setting.all.map(\.option.name) + general)
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/KeyboundCommand")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var seen = 0
        while let file = files?.nextObject() as? URL {
            // The completion scripts name options of the shells' own commands.
            guard file.pathExtension == "swift", !file.lastPathComponent.hasSuffix("Completion.swift") else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // Only texts: between quotation marks, not comments.
                let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
                guard pieces.count > 2, !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
                for index in stride(from: 1, to: pieces.count, by: 2) {
                    for match in pieces[index].matches(of: /(?:^|[ (])(--[a-z][a-z-]*[a-z])/) {
                        seen += 1
                        #expect(known.contains(String(match.1)), "\(file.lastPathComponent): \(match.1)")
                    }
                }
            }
        }
        #expect(seen > 100)
    }
}
#endif
