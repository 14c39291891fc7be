// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// A supported type of authorization details: its allowed members, and its meaning in words.
///
/// ## Specification
///
/// [RFC 9396 §2](https://www.rfc-editor.org/rfc/rfc9396#section-2)
public struct AuthorizationDetailType: Sendable {
    /// `type`, compared byte by byte.
    public var type: String
    /// What it allows, as text on the consent page; `nil` to show the type itself.
    public var text: String?
    /// The members that details of this type may have; details with any other member are rejected (section 5).
    public var fields: [AuthorizationDetailField]
    /// Called with each detail, including `type`, that passed every other check; `false` rejects it.
    public var isAcceptable: @Sendable (JSONObject) -> Bool

    /// Describes a type.
    ///
    /// - Parameters:
    ///   - type: `type`.
    ///   - text: What it allows, as a part of "It would be able to …".
    ///   - fields: The members that details of this type may have.
    ///   - isAcceptable: An additional check of a detail.
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
