// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// A type of authorization details that exists, what such details may say, and what they allow in words.
///
/// ## Specification
///
/// [RFC 9396 §2](https://www.rfc-editor.org/rfc/rfc9396#section-2)
public struct AuthorizationDetailType: Sendable {
    /// `type`, compared byte by byte.
    public var type: String
    /// What the consent page says that it allows; `nil` when the type says it.
    public var text: String?
    /// The members that details of this type may have; with another one they are refused (section 5).
    public var fields: [AuthorizationDetailField]
    /// Called with each detail that passed every other check, `type` included; one that it says `false` to is refused.
    public var isAcceptable: @Sendable (JSONObject) -> Bool

    /// Describes a type.
    ///
    /// - Parameters:
    ///   - type: `type`.
    ///   - text: What it allows, as a part of "It would be able to …".
    ///   - fields: The members that details of this type may have.
    ///   - isAcceptable: What else must be true of a detail.
    public init(
        type: String,
        text: String? = nil,
        fields: [AuthorizationDetailField] = [],
        isAcceptable: @escaping @Sendable (JSONObject) -> Bool = { _ in true }
    ) {
        self.type = type
        self.text = text
        self.fields = fields
        self.isAcceptable = isAcceptable
    }
}
