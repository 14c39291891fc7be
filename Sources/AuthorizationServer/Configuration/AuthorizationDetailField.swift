// SPDX-License-Identifier: Apache-2.0

/// A member that authorization details of one type may have in addition to `type`.
public struct AuthorizationDetailField: Sendable, Hashable {
    /// The name of the member, such as `actions`.
    public var name: String
    /// Its label on the consent page; `nil` for its name.
    public var text: String?
    /// Whether the member is required.
    public var isRequired: Bool
    /// The allowed strings, alone or as a list; `nil` for any JSON value.
    public var values: [String]?

    /// Describes a member.
    ///
    /// - Parameters:
    ///   - name: The name of the member.
    ///   - text: Its label on the consent page.
    ///   - isRequired: Whether the member is required.
    ///   - values: The allowed strings, alone or as a list.
    public init(name: String, text: String? = nil, isRequired: Bool = false, values: [String]? = nil) {
        self.name = name
        self.text = text
        self.isRequired = isRequired
        self.values = values
    }
}
