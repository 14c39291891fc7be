// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthCrypto
import OAuthSystem
import TestSupport
import Testing

@testable import SigningKeys

/// SoftHSM, tokens in it, and modules that fail when they are told to.
///
/// SoftHSM reads where its tokens are from the environment, once in a process: so the tests run in a process of their own,
/// which `TokenProcessTests` starts with tokens made ahead.
enum TokenStage {
    static let module = SoftwareToken.module
    static let pin = SoftwareToken.pin
    /// Where the tokens are; set only in the process that the tests run in.
    static let directory = ProcessInfo.processInfo.environment["KEYBOUND_TEST_TOKENS"]
    static let isPrepared = directory != nil

    /// One for each test that needs one.
    static let tokens = [
        "suite", "second", "facts", "existing", "verify", "always", "rsa", "sharing", "wrong", "final", "locked",
        "removed",
        "lost", "objects", "lies", "hardware", "sessions", "pins", "many", "race", "machines", "leftover", "half",
        "devices", "loggedout", "leaking", "memory", "shown",
        "unread", "unreadable", "threads", "strangers", "slow", "busy", "asking",
        "naming", "given", "vanished", "shortage", "reopened", "unlocked",
    ]

    /// Makes the tokens.
    static func prepare(_ directory: String) async throws {
        let token = try await SoftwareToken(in: directory, labels: tokens)
        try await token.buildModule()
        try await token.buildModule(named: "no-sign", options: ["-DWITHOUT_SIGN"])
        try await token.buildModule(named: "no-table", options: ["-DWITHOUT_TABLE"])
    }

    /// The environment of a process that uses the tokens.
    static func environment(_ directory: String) -> [String: String] {
        ProcessInfo.processInfo.environment.merging([
            "SOFTHSM2_CONF": directory + "/softhsm2.conf", "KEYBOUND_TEST_TOKENS": directory,
        ]) { $1 }
    }

    /// Runs a program that must succeed.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], _ directory: String) async throws -> String {
        let child = try ChildProcess(
            "/usr/bin/env",
            [program] + arguments,
            environment: environment(directory),
            directory: directory
        )
        let result = await child.result()
        try #require(
            result.status == 0,
            "\(program) failed (scripts/bootstrap test installs it): \(result.output)\(result.errors)"
        )
        return result.output
    }

    /// Runs `pkcs11-tool`, another author's program, on a token.
    @discardableResult
    static func tool(_ token: String, _ arguments: [String]) async throws -> String {
        let directory = try #require(directory)
        let common = ["--module", module, "--token-label", token, "--login", "--pin", pin]
        return try await run("pkcs11-tool", common + arguments, directory)
    }

    static func store(
        _ token: String,
        module: String = Self.module,
        pin: PKCS11PIN = .bytes(Array(Self.pin.utf8)),
        sessions: Int = 4,
        mayUseLastAttempt: Bool = false,
        lock: String = "lock",
        timeout: Duration = .seconds(30),
        clock: any MonotonicClock = SystemMonotonicClock()
    ) throws -> PKCS11KeyStore {
        let login = PKCS11Login(pin, mayUseLastAttempt: mayUseLastAttempt)
        return PKCS11KeyStore(
            PKCS11Token(
                modulePath: module,
                selection: PKCS11TokenSelection(label: token),
                login: login,
                lockDirectory: try #require(directory) + "/" + lock
            ),
            sessions: sessions,
            timeout: timeout,
            clock: clock
        )
    }
}
#endif
