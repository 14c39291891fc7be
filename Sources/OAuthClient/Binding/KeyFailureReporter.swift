// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import SigningKeys
import Synchronization

/// Converts failures of the key of an account to errors, and reports them as session events.
final class KeyFailureReporter: Sendable {
    private let events: EventBroadcaster<SessionEvent>
    /// The key whose loss was already reported.
    private let lost = Mutex<JWKThumbprint?>(nil)

    init(_ events: EventBroadcaster<SessionEvent>) {
        self.events = events
    }

    /// Reports once that a key which something is bound to is lost.
    func loss(
        of thumbprint: JWKThumbprint,
        _ code: OAuthClientError.Code,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> OAuthClientError {
        let isNew = lost.withLock { lost in
            defer { lost = thumbprint }
            return lost != thumbprint
        }
        if isNew { events.send(.keyLost) }
        return OAuthClientError(code, reason + "; sign in again", underlying: underlying)
    }

    /// Converts an error of the key store about a key that something is bound to.
    func unusable(_ error: any Error, boundTo thumbprint: JWKThumbprint) -> OAuthClientError {
        let failure = OAuthClientError(error, otherwise: .keyUnavailable, "the key cannot be used")
        if failure.keyStoreError?.code == .keyLost {
            return loss(of: thumbprint, .keyMissing, "the key that was signed in with is gone", underlying: error)
        }
        if failure.keyStoreError?.code == .deviceLocked { events.send(.deviceLocked) }
        return failure
    }

    /// Reports that no key could be opened or made for a new sign-in.
    func noKey(for error: OAuthClientError) {
        switch error.keyStoreError?.code {
        case .keyLost: events.send(.keyLost)
        case .deviceLocked: events.send(.deviceLocked)
        case nil: break
        default: events.send(.keyCreationFailed)
        }
    }

    /// Reports an event that a `KeyManager` sends while it makes a key.
    @Sendable func note(_ event: KeyEvent) {
        if event.kind == .fellBack { events.send(.keyFellBack) }
    }

    /// Converts the error of a proof that could not be made.
    func noProof(_ error: DPoPError, with context: DPoPContext) -> OAuthClientError {
        guard error.code == .signingFailed else {
            return OAuthClientError(.invalidArgument, "no proof can be made: \(error.reason)", underlying: error)
        }
        guard let cause = KeyStoreError(causing: error), cause.code == .keyLost || cause.code == .deviceLocked
        else {
            events.send(.proofFailed)
            return OAuthClientError(.keyUnavailable, "no proof can be made: \(error.reason)", underlying: error)
        }
        return unusable(cause, boundTo: context.thumbprint)
    }

    /// Reports that a server rejected a proof and no retry can help.
    func refused(_ verdict: ProofResult) {
        if verdict.refusesProof { events.send(.proofFailed) }
    }
}
