// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Gateway
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import PKCE
import RedisReplay
import ResourceServer
import ServerStorage
import SigningKeys
import StrictJSON

extension CommandFailure {
    /// How to sign in, for an account that is not known.
    static let signIn = "sign in: keybound login ISSUER --client-id CLIENT_ID"

    /// Any error of the libraries about an account; if its user has to sign in again, it names the command for that.
    init(describing error: any Error, of record: AccountRecord) {
        let failure = CommandFailure(describing: error)
        let hints = failure.hints.map { $0 == Self.signIn ? "sign in again: \(record.loginCommand())" : $0 }
        self.init(failure.exitCode, failure.message, hints: hints)
    }

    /// Any error of the libraries, as a failure of the command.
    init(describing error: any Error) {
        self = CommandFailure(known: error) ?? CommandFailure(.failure, "an unexpected error: \(type(of: error))")
    }

    /// An error whose type the command knows; `nil` for any other, which may have caused one that says more.
    init?(known error: any Error) {
        switch error {
        case let error as JOSEError: self.init(.failure, error.reason)
        case let error as StrictJSONError: self.init(.failure, error.reason)
        case let error as PKCEError: self.init(.failure, error.reason)
        case let error as DPoPError: self.init(.failure, error.reason)
        case let error as AuthorizationServerError: self.init(error)
        case let error as CommandFailure: self = error
        case let error as OAuthClientError: self.init(error)
        case let error as KeyStoreError: self.init(error)
        case let error as StorageError: self.init(error)
        case let error as FileError: self.init(error)
        case let error as HTTPServerError:
            self.init(error.code == .invalidAddress ? .usage : .unavailable, error.reason)
        case let error as OAuthCoreError: self.init(.failure, error.reason)
        case let error as GatewayError: self.init(.usage, error.reason)
        case let error as RedisReplayError:
            self.init(error.code == .unavailable ? .unavailable : .usage, error.reason)
        case let error as ResourceServerError: self.init(.usage, error.reason)
        case let error as HTTPMessageError: self.init(.failure, error.reason)
        case is CancellationError: self.init(.interrupted, "interrupted")
        default: return nil
        }
    }

    private init(_ error: AuthorizationServerError) {
        switch error.code {
        case .invalidConfiguration, .invalidValue: self.init(.usage, error.reason)
        case .storageFailed, .busy:
            // The error of the database is the helpful one.
            self = error.underlying.map { CommandFailure(describing: $0) } ?? CommandFailure(.unavailable, error.reason)
        default: self.init(.failure, error.reason)
        }
    }

    private init(_ error: KeyStoreError) {
        // Thrown by this program when the store asked it for a secret.
        if let failure = error.underlying as? CommandFailure {
            self = failure
            return
        }
        switch error.code {
        case .wrongPassphrase, .deviceLocked, .invalidSecret, .wrongPIN, .pinLocked, .userCanceled:
            self.init(.keyLocked, error.reason)
        case .storageFailed, .deviceUnavailable: self.init(.unavailable, error.reason)
        case .keyLost:
            self.init(.signInNeeded, error.reason, hint: Self.signIn)
        case .malformedKeyFile:
            self.init(
                .failure,
                error.reason,
                hint: "restore it from a copy; if it is the key of an account, you can also delete it and sign in again"
            )
        default: self.init(.failure, error.reason)
        }
    }

    private init(_ error: FileError) {
        guard !error.isOfTakenName else {
            self.init(.failure, error.reason, hint: "choose another name")
            return
        }
        self.init(error.number == nil ? .failure : .unavailable, error.reason)
    }

    private init(_ error: StorageError) {
        switch error.code {
        case .cannotOpen, .busy, .full, .closed, .unavailable, .outcomeUnknown: self.init(.unavailable, error.reason)
        default: self.init(.failure, error.reason)
        }
    }
}
