// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCore

/// Which set of rules a server keeps: the two documents that matter disagree on purpose.
///
/// ## Specification
///
/// [RFC 9700](https://www.rfc-editor.org/rfc/rfc9700), [RFC 8252](https://www.rfc-editor.org/rfc/rfc8252),
/// [FAPI 2.0 Security Profile](https://openid.net/specs/fapi-security-profile-2_0-final.html)
public enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
    /// RFC 9700 and RFC 8252: public clients too, whose refresh tokens are bound to a key and replaced at each use.
    case native
    /// FAPI 2.0: clients that sign assertions only, requests that are pushed only, refresh tokens that stay the same.
    case fapi2

    /// The ways in which clients may show who they are (FAPI 2.0 section 5.3.2.1), of those that exist.
    var clientAuthenticationMethods: [ClientAuthenticationMethod] {
        switch self {
        case .native: ClientRules.methods
        case .fapi2: [.privateKeyJWT]
        }
    }

    /// What assertions, proofs and tokens may be signed with (FAPI 2.0 section 5.4.1); `nil` for whatever else allows.
    public var signatureAlgorithms: Set<SignatureAlgorithm>? {
        switch self {
        case .native: nil
        case .fapi2: [.ps256, .es256, .edDSA, .ed25519]
        }
    }

    /// Whether a refresh token is replaced when it is used (FAPI 2.0 section 5.3.2.1 discourages it for confidential clients).
    var rotatesRefreshTokens: Bool { self == .native }
}

extension ServerConfiguration {
    /// Sets the profile, and what it demands.
    ///
    /// - Parameter profile: The profile.
    public mutating func adopt(_ profile: SecurityProfile) {
        self.profile = profile
        guard profile == .fapi2 else { return }
        requireDPoP = true
        requirePushedAuthorizationRequests = true
    }
}
