// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCore

/// The security profile of a server: RFC 9700 with RFC 8252, or FAPI 2.0, which contradict each other in some rules.
///
/// ## Specification
///
/// [RFC 9700](https://www.rfc-editor.org/rfc/rfc9700), [RFC 8252](https://www.rfc-editor.org/rfc/rfc8252), [FAPI 2.0
/// Security Profile](https://openid.net/specs/fapi-security-profile-2_0-final.html)
public enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
    /// RFC 9700 and RFC 8252: also allows public clients; their refresh tokens are bound to a key and rotated at each
    /// use.
    case native
    /// FAPI 2.0: only clients with signed assertions, only pushed requests, and refresh tokens that are not rotated.
    case fapi2

    /// The client authentication methods of the profile (FAPI 2.0 section 5.3.2.1), of those that are implemented.
    var clientAuthenticationMethods: [ClientAuthenticationMethod] {
        switch self {
        case .native: ClientRules.methods
        case .fapi2: [.privateKeyJWT]
        }
    }

    /// The algorithms for assertions, proofs and tokens (FAPI 2.0 section 5.4.1); `nil` if the profile does not limit
    /// them.
    public var signatureAlgorithms: Set<SignatureAlgorithm>? {
        switch self {
        case .native: nil
        case .fapi2: [.ps256, .es256, .edDSA, .ed25519]
        }
    }

    /// Whether refresh tokens are rotated (FAPI 2.0 section 5.3.2.1 discourages it for confidential clients).
    var rotatesRefreshTokens: Bool { self == .native }
}

extension ServerConfiguration {
    /// Sets the profile, and the settings that it requires.
    ///
    /// - Parameter profile: The profile.
    public mutating func adopt(_ profile: SecurityProfile) {
        self.profile = profile
        guard profile == .fapi2 else { return }
        requireDPoP = true
        requirePushedAuthorizationRequests = true
    }
}
