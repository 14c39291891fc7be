// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The command, as the scripts say")
struct ScriptTests {
    @Test func `every script is read`() {
        #expect(Script.all.count == 10)
        #expect(Script.all.allSatisfy { !$0.steps.isEmpty })
    }

    @Test(arguments: Script.all) func `the command answers as written`(script: Script) async throws {
        let directory = try TemporaryDirectory()
        for (name, content) in script.files { try directory.write(content, to: name) }
        for step in script.steps {
            #expect(step.words.first == "keybound")
            let result = try await KeyboundProcess.run(
                Array(step.words.dropFirst()),
                input: step.input.map { $0 + "\n" }.joined(),
                in: directory
            )
            let line = Comment(rawValue: step.words.joined(separator: " "))
            #expect(result.status == step.status, line)
            compare(result.output, step.output, step.outputPieces, line)
            compare(result.errors, step.errors, step.errorPieces, line)
        }
    }

    private func compare(_ text: String, _ lines: [String], _ pieces: [String], _ line: Comment) {
        if pieces.isEmpty {
            #expect(text == lines.map { $0 + "\n" }.joined(), line)
        }
        for piece in pieces {
            #expect(text.contains(piece), line)
        }
    }
}
