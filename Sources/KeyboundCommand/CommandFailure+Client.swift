// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthCore
import OAuthSystem

extension CommandFailure {
    /// An error of the client library, as a failure of the command.
    ///
    /// What the server says comes first among the hints, whatever the error.
    init(_ error: OAuthClientError) {
        let failure = CommandFailure(withoutAnswerOf: error)
        let said = Self.said(error.answer).filter { !failure.hints.contains($0) }
        self.init(failure.exitCode, failure.message, hints: said + failure.hints)
    }

    /// The texts of the server (RFC 6749 section 5.2), which were cut and cleaned when they were read.
    static func said(_ answer: OAuthErrorResponse?) -> [String] {
        [
            answer?.errorDescription.map { "the server says: \($0)" },
            answer?.errorURI.map { "the server refers to: \($0)" },
        ].compactMap(\.self)
    }

    /// When the server, or what it said before, allows the next attempt.
    private static func nextAttempt(_ error: OAuthClientError) -> [String] {
        guard let wait = error.retryAfter?.components else { return [] }
        // Rounded up: an attempt in the last part of a second would come too early.
        return ["try again in \(wait.seconds + (wait.attoseconds > 0 ? 1 : 0)) s"]
    }

    /// Why nothing is sent until then, if this process has seen it.
    private static func causeOfPause(_ error: OAuthClientError) -> [String] {
        guard error.retryAfter != nil, let cause = error.underlying as? OAuthClientError else { return [] }
        return ["the last attempt failed: \(cause.reason)"]
    }

    private init(withoutAnswerOf error: OAuthClientError) {
        switch error.code {
        case .sessionEnded, .keyMissing, .keyMismatch:
            self.init(.signInNeeded, error.reason, hint: Self.signIn)
        case .transportFailed, .serverUnavailable, .timedOut, .loopbackFailed, .attestationFailed:
            self.init(.unavailable, error.reason, hints: Self.causeOfPause(error) + Self.nextAttempt(error))
        case .tooManyAttempts:
            self.init(.unavailable, error.reason, hints: Self.nextAttempt(error))
        case .firstPartyNotSupported, .browserNeeded:
            self.init(.failure, error.reason, hint: "sign in with a browser: omit --no-browser")
        case .insecureURL:
            // The text after the semicolon is for programmers.
            let reason = error.reason.prefix { $0 != ";" }
            self.init(
                .usage,
                String(reason),
                hint: "for servers on this machine, on 127.0.0.1: keybound login with \(Option.insecureLoopback.name)"
            )
        case .invalidArgument, .unsupportedRedirectURI, .unsupportedResponseMode:
            self.init(.usage, error.reason)
        case .metadataOfAnotherIssuer, .metadataOfAnotherResource:
            self.init(
                .failure,
                error.reason,
                hint: "a slash at the end makes another \(error.code == .metadataOfAnotherIssuer ? "issuer" : "API"): "
                    + "try it with or without one"
            )
        case .serverRejected where error.answer?.error == .invalidClient:
            self.init(
                .failure,
                error.reason,
                hint: "the server does not know this client, or not its secret or key: check the client_id, and the "
                    + "file of \(ClientCredential.secretFile.name) or \(ClientCredential.keyFile.name)"
            )
        case .serverRejected where error.answer?.error == .unauthorizedClient:
            self.init(
                .failure,
                error.reason,
                hint: "the server does not let this client sign in this way: it must be registered for the grant type, "
                    + "such as client_credentials for \(ClientCredential.serviceOption.name)"
            )
        case .cancelled:
            self.init(.interrupted, error.reason)
        case .keyUnavailable, .storageFailed:
            // The error of the key store or the file system is the helpful one.
            if let failure = error.keyStoreError {
                self = CommandFailure(describing: failure)
                return
            }
            switch error.underlying {
            case nil, is FileError: self.init(.unavailable, error.reason)
            // Tokens of a newer version: only the error of the library says so.
            case let underlying?: self = CommandFailure(known: underlying) ?? CommandFailure(.unavailable, error.reason)
            }
        case .userAgentFailed where error.underlying is CommandFailure:
            // What the command itself found while it asked the user.
            self.init(describing: error.underlying ?? error)
        default:
            self.init(.failure, error.reason)
        }
    }
}
