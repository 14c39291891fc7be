// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem

/// Keeps the attestation of an account's key, and asks the attester for the next one in time.
///
/// One request to the attester runs at a time; who asks meanwhile waits for it.
actor AttestationCache {
    private static let pauseAfterFailure = Duration.seconds(60)

    private let attester: any ClientAttester
    private let clientID: String
    private let clock: any WallClock
    private var current: ReceivedAttestation?
    private var running: (thumbprint: JWKThumbprint, task: Task<ReceivedAttestation, any Error>)?

    init(_ attester: any ClientAttester, clientID: String, clock: any WallClock) {
        (self.attester, self.clientID, self.clock) = (attester, clientID, clock)
    }

    /// An attestation of a key: never one of another key, since a new key needs a new attestation
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 10.6).
    func attestation(of key: any SigningKey) async throws(OAuthClientError) -> String {
        let thumbprint = key.publicKey.thumbprint
        let now = clock.now()
        let usable = current.flatMap { $0.thumbprint == thumbprint && now < $0.endsAt ? $0 : nil }
        if let usable, now < usable.renewAt { return usable.text }
        do {
            return try await renewed(key, thumbprint).text
        } catch {
            // What is still good bridges a failure of the attester, which is left alone for a while.
            guard let usable else { throw error }
            if current?.text == usable.text { current?.renewAt = now + Self.pauseAfterFailure }
            return usable.text
        }
    }

    /// Forgets an attestation that the server calls too old, unless there is another one by now.
    func forget(_ text: String) {
        if current?.text == text { current = nil }
    }

    private func renewed(
        _ key: any SigningKey,
        _ thumbprint: JWKThumbprint
    ) async throws(OAuthClientError) -> ReceivedAttestation {
        let task: Task<ReceivedAttestation, any Error>
        if let running, running.thumbprint == thumbprint {
            task = running.task
        } else {
            task = Task { [attester, clientID, clock] in
                let text = try await attester.attestation(of: key, for: clientID)
                let received = try ReceivedAttestation(text, for: clientID, at: clock.now())
                guard received.thumbprint == thumbprint else {
                    throw OAuthClientError(.attestationFailed, "the attester attested another key than it was asked to")
                }
                return received
            }
            running = (thumbprint, task)
        }
        do {
            let received = try await task.value
            if running?.task == task { (running, current) = (nil, received) }
            return received
        } catch {
            if running?.task == task { running = nil }
            throw OAuthClientError(error, otherwise: .attestationFailed, "there is no attestation of the key")
        }
    }
}
