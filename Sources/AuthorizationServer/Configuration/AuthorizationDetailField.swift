// SPDX-License-Identifier: Apache-2.0

/// A member that details of one type may have beside `type`.
public struct AuthorizationDetailField: Sendable, Hashable {
    /// The name of the member, such as `actions`.
    public var name: String
    /// What the consent page calls it; the name when `nil`.
    public var text: String?
    /// Whether it must be there.
    public var isRequired: Bool
    /// The texts that it may be, or be a list of; any JSON value when `nil`.
    public var values: [String]?

    /// Describes a member.
    ///
    /// - Parameters:
    ///   - name: The name of the member.
    ///   - text: What the consent page calls it.
    ///   - isRequired: Whether it must be there.
    ///   - values: The texts that it may be, or be a list of.
    public init(name: String, text: String? = nil, isRequired: Bool = false, values: [String]? = nil) {
        self.name = name
        self.text = text
        self.isRequired = isRequired
        self.values = values
    }
}
