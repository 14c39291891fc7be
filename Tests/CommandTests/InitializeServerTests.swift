// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import KeyboundCommand

/// From an empty directory to a server that signs somebody in.
@Suite("keybound init")
struct InitializeServerTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool
    private let issuer: String
    private let places: [String]

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
        let port = FreePort.next()
        issuer = "http://127.0.0.1:\(port)"
        // As root with a user of this name on the machine, the files would go to that one.
        places =
            ["--config", "keybound.json", "--data-directory", "data", "--listen", "127.0.0.1:\(port)"]
            + ["--metrics-listen", "127.0.0.1:\(FreePort.next())", "--allow-insecure-loopback-issuer"]
            + (getuid() == 0 ? ["--run-as", "root"] : [])
    }

    private var account: [String] { ["--user", "ada", "--password-file", "password", "--client", "tool"] }

    private func run(_ words: [String], questions: Bool = false) async throws -> KeyboundProcess.Result {
        let quiet = questions ? [] : ["--no-questions"]
        return try await KeyboundProcess.run(["init"] + places + quiet + words, in: directory)
    }

    private func isThere(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.path + "/" + name)
    }

    private func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)[.posixPermissions] as? Int
    }

    @Test func `the server that it makes signs the first user in to the first app`() async throws {
        let made = try await run(["--issuer", issuer, "--scope", "notes:read=read your notes"] + account)
        #expect(made.status == 0, Comment(rawValue: made.errors))
        #expect(made.output.isEmpty, "an issuer on loopback has no proxy")
        #expect(made.errors.contains("keybound login \(issuer) --client-id tool --allow-insecure-loopback\n"))
        // For a server of another user, the group reads.
        let closed = getuid() == 0 ? 0o640 : 0o600
        #expect(try mode(of: "keybound-key") == closed)
        #expect(try Data(contentsOf: directory.url.appendingPathComponent("keybound-key")).count == 32)
        #expect(try mode(of: "keybound.json") == closed)
        #expect(try mode(of: "data") == 0o700)

        let server = try KeyboundProcess(["serve", "--config", "keybound.json"], in: directory)
        _ = try await server.line(beginningWith: "listening")
        let signedIn = try await tool.signIn(at: issuer, options: ["--unencrypted-key-file"])
        #expect(signedIn.output == "signed in at \(issuer)\n", Comment(rawValue: signedIn.errors))
        let doctor = try await KeyboundProcess.run(["doctor", "--config", "keybound.json"], in: directory)
        #expect(doctor.status == 0, Comment(rawValue: doctor.output))
        server.terminate()
        _ = await server.result()
    }

    @Test func `run again, it leaves what is there, and adds what is missing`() async throws {
        #expect(try await run(["--issuer", issuer]).status == 0)
        let (configuration, key) = (try directory.text(of: "keybound.json"), try directory.text(of: "keybound-key"))
        let again = try await run(["--issuer", issuer] + account)
        #expect(again.status == 0, Comment(rawValue: again.errors))
        #expect(again.errors.contains("/keybound.json: it stays as it is"))
        #expect(again.errors.contains("a credential for the signing keys: it stays as it is"))
        #expect(again.errors.contains("--client-id tool --scope openid --allow-insecure-loopback\n"))
        #expect(again.errors.contains("added       the user ada") && again.errors.contains("added       the app tool"))
        let third = try await run(account)
        #expect(third.status == 0, Comment(rawValue: third.errors))
        #expect(third.errors.contains("there is    the user ada: it stays as it is"))
        #expect(third.errors.contains("there is    the app tool: it stays as it is"))
        let other = try await run(["--issuer", "http://127.0.0.1:1"])
        #expect(other.status == 1 && other.errors.contains("says otherwise than --issuer"))
        #expect(try directory.text(of: "keybound.json") == configuration)
        #expect(try directory.text(of: "keybound-key") == key)
    }

    @Test(
        arguments: [
            (["--issuer", "https://auth.example.com/"], "issuer"), ([], "--issuer is missing"),
            (["--issuer", "ftp://auth.example.com"], "issuer"),
            (["--issuer", "https://a.example", "--scope", "a b"], "scope"),
            (["--issuer", "https://a.example", "--user", "ada", "--password-file", "short"], "8 to 1024"),
            (["--issuer", "https://a.example", "--user", "ada\u{200B}"], "user name"),
            (["--issuer", "https://a.example", "--client", "c", "--redirect-uri", "ftp://x"], "reversed domain"),
            (["--issuer", "https://a.example", "--key-credential", "a", "--key-credential-file", "b"], "exclude"),
            (["--issuer", "https://a.example", "--key-credential-file", "nowhere/key"], "nowhere"),
        ] as [([String], String)]
    )
    func `nothing is written before everything is checked`(words: [String], text: String) async throws {
        try directory.write("short", to: "short")
        let refused = try await run(words)
        #expect(refused.status != 0)
        #expect(refused.errors.contains(text), Comment(rawValue: refused.errors))
        #expect(!isThere("keybound.json") && !isThere("keybound-key") && !isThere("data"))
    }

    @Test func `a database whose credential is gone gets no new one`() async throws {
        #expect(try await run(["--issuer", issuer] + account).status == 0)
        try FileManager.default.removeItem(atPath: directory.path + "/keybound-key")
        let refused = try await run([])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("a new one would not open its keys"), Comment(rawValue: refused.errors))
        #expect(!isThere("keybound-key"))
    }

    @Test func `it prints the block of nginx that is documented and tried`() async throws {
        let made = try await KeyboundProcess.run(
            ["init", "--config", "keybound.json", "--data-directory", "data", "--no-questions"]
                + ["--issuer", "https://auth.example.com"] + (getuid() == 0 ? ["--run-as", "root"] : []),
            in: directory
        )
        #expect(made.status == 0, Comment(rawValue: made.errors))
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
                path: "../../docs/operations.md"
            ),
            encoding: .utf8
        )
        #expect(made.output.hasPrefix("server {\n    listen 443 ssl;\n"))
        #expect(page.contains("```nginx\n" + made.output + "```"))
        #expect(made.errors.contains("keybound client add --config"), "there is no app yet")
    }

    /// Runs `keybound init` at a terminal, where somebody gives an answer to each prompt.
    private func initialize(answering answers: [[String]]) async throws -> KeyboundProcess.Result {
        try directory.write(Self.terminal, to: "terminal.py")
        try directory.write(String(decoding: try JSONEncoder().encode(answers), as: UTF8.self), to: "answers.json")
        return try await KeyboundProcess.run(
            ["init"] + places,
            in: directory,
            through: "exec python3 terminal.py \"$@\""
        )
    }

    @Test func `at a terminal it asks for what no option says`() async throws {
        let answers = [
            ["Issuer", issuer], ["first user", "ada"], ["New password of ada: ", "correct horse battery staple"],
            ["New password of ada again: ", "correct horse battery staple"], ["first app", ""],
        ]
        let made = try await initialize(answering: answers)
        #expect(made.status == 0, Comment(rawValue: made.output))
        #expect(made.output.contains("added       the user ada"))
        #expect(!made.output.contains("horse"), "a password is not shown")
        let users = try await KeyboundProcess.run(["user", "list", "--config", "keybound.json"], in: directory)
        #expect(users.output.contains("ada"))
    }

    @Test func `after a mistake at the terminal it says what is wrong, and asks again`() async throws {
        let good = "correct horse battery staple"
        let answers = [
            ["Issuer", "example"], ["Issuer", "ftp://auth.example.com"], ["Issuer", issuer], ["first user", "ada"],
            ["New password of ada: ", "short"], ["New password of ada again: ", "short"],
            ["New password of ada: ", good], ["New password of ada again: ", good + "r"],
            ["New password of ada: ", good], ["New password of ada again: ", good], ["first app", "tool"],
        ]
        let made = try await initialize(answering: answers)
        #expect(made.status == 0, Comment(rawValue: made.output))
        for reason in ["not an absolute URL", "must be an https URL", "8 to 1024 bytes", "the two inputs differ"] {
            #expect(made.output.contains(reason), Comment(rawValue: "\(reason): \(made.output)"))
        }
        #expect(made.output.contains("added       the user ada") && made.output.contains("added       the app tool"))
        #expect(!made.output.contains("horse"), "a password is not shown")
    }

    @Test func `a user that cannot read the credential is rejected before anything is written`() async throws {
        let nobody = try #require(SystemUser(named: "nobody"))
        try directory.write("secret", to: "closed")
        #expect(nobody.obstacle(toReading: directory.path + "/closed") != nil)
        #expect(nobody.obstacle(toReading: "/etc/passwd") == nil)
        #expect(SystemUser(named: "root")?.obstacle(toReading: directory.path + "/closed") == nil)
        // Only root may name another user.
        guard getuid() == 0 else { return }
        try directory.write(Data(repeating: 1, count: 32), to: "key")
        let refused = try await KeyboundProcess.run(
            ["init", "--config", "keybound.json", "--data-directory", "data", "--no-questions", "--run-as", "nobody"]
                + ["--issuer", "https://auth.example.com", "--key-credential-file", "key"],
            in: directory
        )
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the user nobody cannot read the credential"), "\(refused.errors)")
        #expect(!isThere("keybound.json") && !isThere("data"))
    }

    /// Answers each question when it appears, and ends as the command does.
    private static let terminal = """
        import json, os, pty, signal, sys
        pid, master = pty.fork()
        if pid == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        # What still waits for an answer then is ended: the test fails instead of waiting too.
        signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
        signal.alarm(300)
        text, seen = b"", 0
        answers = json.load(open("answers.json"))
        try:
            while part := os.read(master, 1024):
                text += part
                if answers and answers[0][0].encode() in text[seen:] and text.endswith(b": "):
                    seen = len(text)
                    os.write(master, answers.pop(0)[1].encode() + b"\\n")
        except OSError:
            pass
        sys.stdout.buffer.write(text)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
}
#endif
