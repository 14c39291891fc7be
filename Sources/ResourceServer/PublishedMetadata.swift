// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// What an API tells about itself, beside what its guard knows anyway.
///
/// ## Specification
///
/// [RFC 9728 §2](https://www.rfc-editor.org/rfc/rfc9728#section-2)
public struct PublishedMetadata: Sendable, Hashable {
    /// `scopes_supported`: what may be asked for to use the API; left out when empty.
    public var scopes: Scope
    /// `resource_name`: a name for people; left out when `nil`.
    public var name: String?

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - scopes: What may be asked for to use the API.
    ///   - name: A name for people.
    public init(scopes: Scope = .empty, name: String? = nil) {
        self.scopes = scopes
        self.name = name
    }
}
