// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KeyboundCommand

/// The command as a person uses it who is called Ada: with a client at a server, and a browser that is not there.
struct SignInTool {
    private static let password = "correct horse battery staple"

    private let directory: TemporaryDirectory

    /// Writes the files that it needs: `password`, `passphrase`, and `browser`, which writes the URL down.
    init(in directory: TemporaryDirectory) throws {
        self.directory = directory
        try directory.write(Self.password, to: "password")
        try directory.write("a passphrase for the key", to: "passphrase")
        try directory.write("printf '%s\\n' \"$1\" >url.new && mv url.new url\n", to: "browser")
    }

    /// Adds the person, and the client with what it may ask for, to the server of the directory.
    func register(scope: String = ServedIssuer.scope) async throws {
        let user = try await KeyboundProcess.run(["user", "add", "ada", "--password-file", "password"], in: directory)
        #expect(user.status == 0, Comment(rawValue: user.errors))
        let client = try await KeyboundProcess.run(
            [
                "client", "add", "--id", "tool", "--redirect-uri", "http://127.0.0.1/callback", "--scope", scope,
            ],
            in: directory
        )
        #expect(client.status == 0, Comment(rawValue: client.errors))
    }

    /// Signs in: the pages are walked by their forms; something may be done when the browser has been opened.
    func signIn(
        at issuer: String?,
        options: [String],
        decision: String = "allow",
        clientID: String? = "tool",
        environment: [String: String] = [:],
        meanwhile: () async throws -> Void = {}
    ) async throws -> KeyboundProcess.Result {
        let login = try KeyboundProcess(
            (clientID.map { Self.arguments(at: issuer, clientID: $0) }
                ?? ["login", "--allow-insecure-loopback", "--timeout", "300s"]) + options,
            in: directory,
            environment: environment.merging(prepareBrowser()) { $1 }
        )
        guard let url = try await url() else {
            // Whoever looks at the result sees why there was none.
            login.terminate()
            return await login.result()
        }
        try await meanwhile()
        try await walk(url, decision: decision)
        return await login.result()
    }

    /// The environment of a program whose browser writes its URL down, for ``walkPages(of:)``.
    func prepareBrowser() -> [String: String] {
        try? FileManager.default.removeItem(atPath: directory.path + "/url")
        // Read by a shell, not run itself: a program of another test may have inherited the file while it was written, and
        // what somebody may write cannot be run.
        return ["BROWSER": "/bin/sh \(directory.path)/browser"]
    }

    /// Waits until a program opens its browser, signs in there and allows what is asked for.
    func walkPages(of program: ChildProcess) async throws {
        guard let url = try await url(unless: { program.isSilent }) else {
            throw NoBrowser(output: program.outputSoFar, errors: program.errorsSoFar)
        }
        try await walk(url, decision: "allow")
    }

    private struct NoBrowser: Error {
        let output: String
        let errors: String
    }

    private func walk(_ url: String, decision: String) async throws {
        let walker = HeadlessBrowser(
            answers: ["username": "Ada", "password": Self.password],
            decision: decision,
            transcript: Transcript(style: TerminalStyle(isColored: false)) { _ in }
        )
        try await walker.open(url)
    }

    /// What every sign-in is started with.
    static func arguments(
        at issuer: String?,
        clientID: String = "tool",
        scopes: [String] = [ServedIssuer.scope]
    ) -> [String] {
        ["login"] + (issuer.map { [$0] } ?? []) + scopes.flatMap { ["--scope", $0] }
            + ["--client-id", clientID, "--allow-insecure-loopback", "--timeout", "300s"]
    }

    private func url(unless isOver: () -> Bool = { false }) async throws -> String? {
        for _ in 0..<15_000 where !isOver() {
            if let url = try? directory.text(of: "url") { return String(url.dropLast()) }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }
}
