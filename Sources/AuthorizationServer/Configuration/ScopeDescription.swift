// SPDX-License-Identifier: Apache-2.0

/// A supported scope value, and its meaning in words.
public struct ScopeDescription: Sendable, Hashable {
    /// The scope token (RFC 6749 section 3.3).
    public var name: String
    /// What it allows, as text on the consent page; `nil` to show the name.
    public var text: String?

    /// Describes a scope value.
    ///
    /// - Parameters:
    ///   - name: The scope token.
    ///   - text: What it allows, as a part of "wants to …".
    public init(name: String, text: String? = nil) {
        self.name = name
        self.text = text
    }
}
