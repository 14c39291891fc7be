// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// The metadata that an API publishes, in addition to what its guard is configured with.
///
/// ## Specification
///
/// [RFC 9728 §2](https://www.rfc-editor.org/rfc/rfc9728#section-2)
public struct PublishedMetadata: Sendable, Hashable {
    /// `scopes_supported`: the scope that clients may request for the API; omitted if empty.
    public var scopes: Scope
    /// `resource_name`: a name to show to users; omitted if `nil`.
    public var name: String?
    /// Whether some route accepts tokens that are bound to no key, though ``GuardConfiguration`` does not
    /// (``GuardRequirement/allowsUnboundTokens``); by default no.
    ///
    /// If so, `dpop_bound_access_tokens_required`, which means that the API always requires bound tokens, is `false`.
    public var hasRoutesForUnboundTokens = false

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - scopes: The scope that clients may request for the API.
    ///   - name: A name to show to users.
    public init(scopes: Scope = .empty, name: String? = nil) {
        self.scopes = scopes
        self.name = name
    }
}
