// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCore
import OAuthSystem

/// A service whose attestations the server accepts: it says that a key belongs to a genuine copy of an app.
///
/// ## Specification
///
/// draft-ietf-oauth-attestation-based-client-auth-11 sections 4, 7.1 and 10.8
public struct TrustedAttester: Sendable, Hashable {
    /// The algorithms that an attester may sign with.
    ///
    /// No MAC: a secret would be shared with each attester (section 12.2).
    static let algorithms: Set<SignatureAlgorithm> = [.es256, .es384, .edDSA, .ed25519, .ps256]
    /// The longest ``maximumAge``.
    static let longestAge = Duration.seconds(7 * 86_400)

    /// The name in audit events: 1 to 64 visible ASCII characters.
    public var name: String
    /// Its public keys, 1 to 16, each with a `kid`; they are pinned, and nothing is fetched.
    public var keys: JWKSet
    /// The `client_id` of each client that it may attest; at least one.
    public var clients: [String]
    /// How long after `iat` an attestation is accepted, whatever its `exp` says; a minute to seven days.
    public var maximumAge: Duration

    /// Describes an attester.
    ///
    /// - Parameters:
    ///   - name: The name in audit events.
    ///   - keys: Its public keys.
    ///   - clients: The `client_id` of each client that it may speak for.
    ///   - maximumAge: How long after `iat` an attestation is accepted.
    public init(name: String, keys: JWKSet, clients: [String], maximumAge: Duration = .seconds(86_400)) {
        self.name = name
        self.keys = keys
        self.clients = clients
        self.maximumAge = maximumAge
    }

    /// The algorithms that its keys can sign with.
    var usableAlgorithms: Set<SignatureAlgorithm> {
        Self.algorithms.filter { algorithm in keys.keys.contains { $0.fits(algorithm) } }
    }

    func speaks(for clientID: String) -> Bool {
        clients.contains { $0.isIdentical(to: clientID) }
    }

    func hasKey(named keyID: String) -> Bool {
        keys.keys.contains { $0.keyID?.isIdentical(to: keyID) ?? false }
    }

    func validate() throws(AuthorizationServerError) {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.refusal("the name of an attester has 1 to 64 visible ASCII characters")
        }
        guard (1...16).contains(keys.keys.count) else {
            throw Self.refusal("the attester \(name) has 1 to 16 public keys: give its JWK set")
        }
        let names = keys.keys.compactMap(\.keyID).filter { !$0.isEmpty }
        guard names.count == keys.keys.count, Set(names).count == names.count else {
            throw Self.refusal("each key of the attester \(name) has a 'kid' of its own: add it to its JWK set")
        }
        guard keys.keys.allSatisfy({ key in Self.algorithms.contains { key.fits($0) } }) else {
            let known = Self.algorithms.map(\.rawValue).sorted().joined(separator: ", ")
            throw Self.refusal("a key of the attester \(name) is for none of \(known): use a key for one of these")
        }
        guard !clients.isEmpty, Set(clients).count == clients.count else {
            throw Self.refusal("the attester \(name) speaks for no client, or for one twice: list each client_id once")
        }
        guard maximumAge >= .seconds(60), maximumAge <= Self.longestAge else {
            throw Self.refusal("attestations of \(name) are accepted for one minute to seven days: set maximumAge so")
        }
    }

    fileprivate static func refusal(_ reason: String) -> AuthorizationServerError {
        .invalid("attesters", reason)
    }
}

extension ServerConfiguration {
    /// The client authentication methods of this server: attestation only if an attester is configured.
    var clientAuthenticationMethods: [ClientAuthenticationMethod] {
        profile.clientAuthenticationMethods.filter { $0 != .attestationWithDPoP || !attesters.isEmpty }
    }

    func validateAttesters() throws(AuthorizationServerError) {
        for attester in attesters { try attester.validate() }
        guard Set(attesters.map(\.name)).count == attesters.count else {
            throw TrustedAttester.refusal("two attesters have the same name: give each a name of its own")
        }
    }
}
