// SPDX-License-Identifier: Apache-2.0

/// A scope that exists, and what it allows in words.
public struct ScopeDescription: Sendable, Hashable {
    /// The scope token (RFC 6749 section 3.3).
    public var name: String
    /// What the consent page says that it allows; `nil` when the name says it.
    public var text: String?

    /// Describes a scope.
    ///
    /// - Parameters:
    ///   - name: The scope token.
    ///   - text: What it allows, as a part of "wants to …".
    public init(name: String, text: String? = nil) {
        self.name = name
        self.text = text
    }
}
