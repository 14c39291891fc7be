// SPDX-License-Identifier: Apache-2.0

/// The exit codes of the process.
///
/// The numbers are part of the interface: a script branches on them.
enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case failure = 1
    case usage = 2
    case unavailable = 3
    case signInNeeded = 4
    case keyLocked = 5
    case interrupted = 130
    case brokenPipe = 141

    /// What the code means, for `keybound help exit-codes`.
    var meaning: String {
        switch self {
        case .success: "success"
        case .failure: "it failed, was rejected, is not valid, or what you named does not exist; retrying will not help"
        case .usage: "the arguments or the configuration are wrong"
        case .unavailable: "a server, file, port or database cannot be reached or written at the moment"
        case .signInNeeded: "no account is signed in, or the session has ended: run keybound login"
        case .keyLocked: "the key is protected, and its passphrase, credential or PIN is missing or wrong"
        case .interrupted: "Ctrl-C"
        case .brokenPipe: "the reader of the output closed it"
        }
    }
}
