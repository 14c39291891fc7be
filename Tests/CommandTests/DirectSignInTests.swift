// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("keybound login --no-browser")
struct DirectSignInTests {
    private static let password = "correct horse battery staple"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(Self.password, to: "password")
        try directory.write("not the password", to: "wrong")
        try directory.write(Self.terminal, to: "terminal.py")
    }

    /// Waits at a terminal for each text of its argument and types what follows it, then prints what the terminal showed.
    private static let terminal = """
        import json, os, pty, signal, sys
        script = json.loads(sys.argv[1])
        pid, master = pty.fork()
        if pid == 0:
            os.execv(sys.argv[2], sys.argv[2:])
        # What still waits for an answer then is ended: the test fails instead of waiting too.
        signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
        signal.alarm(300)
        text, position = b"", 0

        def read():
            global text
            try:
                part = os.read(master, 1024)
            except OSError:
                part = b""
            text += part
            return part

        for awaited, typed in script:
            while awaited.encode() not in text[position:] and read():
                pass
            if awaited.encode() not in text[position:]:
                break
            position = text.index(awaited.encode(), position) + len(awaited)
            os.write(master, typed.encode())
        while read():
            pass
        sys.stdout.buffer.write(text)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    private func server(_ options: [String] = []) async throws -> ServedIssuer {
        let server = try await ServedIssuer(
            in: directory,
            options: ["--key-credential-file", "credential", "--first-party", "--allow-unattested-first-party"]
                + options
        )
        return server
    }

    private func register(firstParty: Bool = true) async throws {
        try await run(["user", "add", "ada", "--password-file", "password"])
        try await run(
            ["client", "add", "--id", "tool", "--redirect-uri", "http://127.0.0.1/callback", "--scope", "notes:read"]
                + (firstParty ? ["--first-party"] : [])
        )
    }

    private func run(_ words: [String]) async throws {
        let result = try await KeyboundProcess.run(words, in: directory)
        try #require(result.status == 0, Comment(rawValue: result.errors))
    }

    private func login(
        _ server: ServedIssuer,
        _ options: [String],
        input: String = "",
        through command: String? = nil
    ) async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(
            [
                "login", server.issuer, "--client-id", "tool", "--scope", "notes:read", "--allow-insecure-loopback",
                "--unencrypted-key-file", "--no-browser",
            ] + options,
            input: input,
            in: directory,
            through: command
        )
    }

    /// Types answers at a terminal: each when its question was shown.
    private func loginAtTerminal(
        _ server: ServedIssuer,
        _ script: [[String]],
        _ options: [String] = []
    ) async throws -> KeyboundProcess.Result {
        let text = String(decoding: try JSONEncoder().encode(script), as: UTF8.self)
        try directory.write(text, to: "script.json")
        return try await login(
            server,
            options,
            through: "exec python3 terminal.py \"$(cat script.json)\" \"$@\""
        )
    }

    private func setUp(firstParty: Bool = true) async throws -> ServedIssuer {
        try directory.write(Data((0..<32).map { UInt8($0) }), to: "credential")
        let server = try await server()
        try await register(firstParty: firstParty)
        return server
    }

    @Test func `name and password are asked for at the terminal, and the password is not shown`() async throws {
        let server = try await setUp()
        let result = try await loginAtTerminal(
            server,
            [
                ["User name: ", "ada\n"], ["Password of ada: ", "wrong\n"], ["is wrong", ""], ["User name: ", "ada\n"],
                ["Password of ada: ", Self.password + "\n"],
            ]
        )
        #expect(result.status == 0, Comment(rawValue: result.output + result.errors))
        #expect(result.output.contains("the user name or the password is wrong"))
        #expect(result.output.contains("signed in at \(server.issuer)"))
        #expect(result.output.contains("User name: ada"))
        #expect(!result.output.contains(Self.password) && !result.output.contains("wrong\r\n\r"))
        try await run(["token", "refresh"])
        try await run(["logout"])
        _ = await server.stop()
    }

    @Test func `a script gives the password in a file, on standard input, or on a descriptor`() async throws {
        let server = try await setUp()
        let user = ["--username", "ada"]
        for (options, input, command) in [
            (["--password-file", "password"], "", nil),
            (["--password-file", "-"], Self.password + "\n", nil),
            (["--password-fd", "7"], "", "exec \"$@\" 7<password"),
        ] as [([String], String, String?)] {
            let result = try await login(server, user + options, input: input, through: command)
            #expect(result.status == 0, Comment(rawValue: result.errors))
            #expect(result.output == "signed in at \(server.issuer)\n")
        }
        _ = await server.stop()
    }

    @Test func `a wrong password of a script is sent once`() async throws {
        let server = try await setUp()
        let result = try await login(server, ["--username", "ada", "--password-file", "wrong"])
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("keybound: the user name or the password is wrong\n"))
        let stopped = await server.stop()
        let answered = stopped.output + stopped.errors
        #expect(!answered.contains("not the password"))
    }

    @Test func `without a terminal, a user name or the option, the usage is wrong`() async throws {
        let server = try await setUp()
        for (options, text) in [
            ([], "there is no terminal to ask for the password"),
            (["--password-file", "password"], "a password without a user name"),
            (["--device"], "exclude each other"), (["--show-url"], "exclude each other"),
            (["--username", "ada", "--password-file", "password", "--password-fd", "7"], "exclude each other"),
        ] as [([String], String)] {
            let result = try await login(server, options, through: "exec setsid -w \"$@\"")
            #expect(result.status == 2, "\(options): \(result.errors)")
            #expect(result.errors.contains(text), "\(options): \(result.errors)")
        }
        let alone = try await KeyboundProcess.run(
            ["login", server.issuer, "--client-id", "tool", "--username", "ada"],
            in: directory
        )
        #expect(alone.status == 2)
        #expect(alone.errors.contains("--username needs --no-browser"))
        _ = await server.stop()
    }

    @Test func `a client that is not first-party is told to use the browser`() async throws {
        let server = try await setUp(firstParty: false)
        let result = try await login(server, ["--username", "ada", "--password-file", "password"])
        #expect(result.status == 1)
        #expect(result.errors.contains("does not let this client sign users in without a browser"))
        #expect(result.errors.contains("omit --no-browser"))
        _ = await server.stop()
    }
}
#endif
