// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Manual pages")
struct ManualTests {
    private func run(
        _ program: String,
        _ arguments: [String],
        in directory: TemporaryDirectory
    ) async throws
        -> ChildProcess.Result
    {
        let child = try ChildProcess(
            "/usr/bin/env",
            [program] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
            directory: directory.path,
            input: ""
        )
        return await child.result()
    }

    @Test func `there is a page for each command, and mandoc finds no fault in any`() async throws {
        let directory = try TemporaryDirectory()
        let written = try await KeyboundProcess.run(["manual", "."], in: directory)
        #expect(written.status == 0, Comment(rawValue: written.errors))
        let pages = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
            $0.hasSuffix(".1") || $0.hasSuffix(".5")
        }
        #expect(pages.count == CommandTable.commands.count + 2)
        let lint = try await run("mandoc", ["-T", "lint", "-W", "warning"] + pages.sorted(), in: directory)
        #expect(lint.status == 0 && lint.output.isEmpty, Comment(rawValue: lint.output + lint.errors))
    }

    @Test func `the page of a command says every option and example as they are typed`() async throws {
        let directory = try TemporaryDirectory()
        _ = try await KeyboundProcess.run(["manual", "."], in: directory)
        for command in CommandTable.commands {
            let syntax = command.syntax
            let name = (["keybound"] + syntax.words).joined(separator: "-") + ".1"
            let page = try await run("mandoc", ["-T", "utf8", "-O", "width=500", name], in: directory)
            // Bold and underlined letters are written over each other.
            let text = page.output.replacing(/.\u{8}/, with: "")
            for option in syntax.options {
                #expect(text.contains(option.usage), "\(name): \(option.usage)")
            }
            for line in syntax.examples.flatMap({ $0.line.split(separator: "\n") }) {
                #expect(text.contains(line), "\(name): \(line)")
            }
        }
    }

    @Test func `the page of the configuration file has every setting`() async throws {
        let directory = try TemporaryDirectory()
        _ = try await KeyboundProcess.run(["manual", "."], in: directory)
        let page = try await run("mandoc", ["-T", "utf8", "keybound.json.5"], in: directory)
        let text = page.output.replacing(/.\u{8}/, with: "")
        for setting in Setting.all { #expect(text.contains(setting.key)) }
    }

    @Test func `a directory that does not exist is an error`() async throws {
        let result = try await KeyboundProcess.run(["manual", "nowhere"], in: TemporaryDirectory())
        #expect(result.status == 3)
        #expect(result.errors.contains("cannot write nowhere/keybound.1"))
    }
}
