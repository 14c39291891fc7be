// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Commands that destroy ask first")
struct ConfirmationTests {
    /// Runs the command on a terminal of its own.
    private func onTerminal(
        _ words: [String],
        answer: String,
        in directory: TemporaryDirectory
    ) async throws
        -> KeyboundProcess.Result
    {
        try directory.write(Self.terminal, to: "terminal.py")
        return try await KeyboundProcess.run(
            words,
            input: answer + "\n",
            in: directory,
            through: "exec python3 terminal.py \"$@\""
        )
    }

    /// Types what it reads at a terminal, and ends as the command does there.
    private static let terminal = """
        import os, pty, signal, sys
        line = sys.stdin.buffer.readline()
        pid, master = pty.fork()
        if pid == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        # What still waits for an answer then is ended: the test fails instead of waiting too.
        signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
        signal.alarm(300)
        os.write(master, line)
        text = b""
        try:
            while part := os.read(master, 1024):
                text += part
        except OSError:
            pass
        sys.stdout.buffer.write(text)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    @Test(arguments: [("y", true), ("YES", true), ("n", false), ("", false), ("yesterday", false)])
    func `only yes removes a user`(answer: String, isRemoved: Bool) async throws {
        let directory = try TemporaryDirectory()
        let added = try await KeyboundProcess.run(
            ["user", "add", "ada", "--password-file", "-"],
            input: "correct horse battery\n",
            in: directory
        )
        try #require(added.status == 0, Comment(rawValue: added.errors))
        let result = try await onTerminal(["user", "remove", "ada"], answer: answer, in: directory)
        #expect(result.output.contains("Remove the user ada, and revoke the 0 grants of theirs? [y/N]"))
        #expect(result.status == (isRemoved ? 0 : 1))
        let list = try await KeyboundProcess.run(["user", "list"], in: directory)
        #expect(list.output.contains("ada") != isRemoved)
    }

    @Test func `keybound mcp does not ask at a terminal, from which its messages come`() async throws {
        let directory = try TemporaryDirectory()
        let issuer = try GatewayIssuer()
        _ = try await SignedInAccount(of: issuer, for: "https://api.example.com", in: directory)
        // The message is a line; Ctrl-D after it ends the input.
        let typed = #"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"# + "\r\u{4}"
        let words = ["mcp", "https://mcp.example.com/mcp", "--account", SignedInAccount.name]
        let result = try await onTerminal(words, answer: typed, in: directory)
        #expect(result.status == 0, Comment(rawValue: result.output))
        #expect(result.output.contains("there is no terminal to ask"), Comment(rawValue: result.output))
        #expect(!result.output.contains("[y/N]"))
        await issuer.stop()
    }

    @Test func `a demo whose output is cut off leaves nothing behind`() async throws {
        let directory = try TemporaryDirectory()
        let result = try await KeyboundProcess.run(
            [],
            in: directory,
            environment: ["TMPDIR": directory.path],
            through: "\"$1\" demo | head -n 1; exit ${PIPESTATUS[0]}"
        )
        #expect(result.status != 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!left.contains { $0.hasPrefix("keybound-demo-") })
    }
}
#endif
