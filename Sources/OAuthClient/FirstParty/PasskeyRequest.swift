// SPDX-License-Identifier: Apache-2.0

/// What a passkey has to sign, for the passkey API of the platform.
///
/// ## Specification
///
/// [Web Authentication Level 3 §5.1.9](https://www.w3.org/TR/webauthn-3/#sctn-parseRequestOptionsFromJSON)
public struct PasskeyRequest: Sendable, Hashable {
    /// `PublicKeyCredentialRequestOptionsJSON`, as the server sent it.
    public let json: String
}
