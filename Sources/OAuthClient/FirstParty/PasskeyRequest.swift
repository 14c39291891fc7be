// SPDX-License-Identifier: Apache-2.0

/// What a passkey has to sign, for the passkey API of the platform.
///
/// ## Specification
///
/// [Web Authentication Level 3 §5.1.9](https://www.w3.org/TR/webauthn-3/#sctn-parseRequestOptionsFromJSON)
public struct PasskeyRequest: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// `PublicKeyCredentialRequestOptionsJSON`, as the server sent it.
    public let json: String

    /// The name of the type: the request has a challenge, and may name the user.
    public var description: String { "PasskeyRequest" }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: [Mirror.Child]()) }
}
