// SPDX-License-Identifier: Apache-2.0

/// A scope value and what it means to the person who is asked.
struct ScopeText: Sendable, Hashable {
    /// The scope value as requested (RFC 6749 section 3.3).
    let name: String
    /// What it allows, as an infinitive with a capital: "Read your notes"; `nil` when nobody said.
    let description: String?

    /// Takes a scope.
    ///
    /// - Parameters:
    ///   - name: The scope value.
    ///   - description: What the operator says it allows; without it, the well-known scopes of OpenID Connect
    ///     (Core section 5.4 and 11) describe themselves.
    init(name: String, description: String? = nil) {
        self.name = name
        self.description = description ?? Self.wellKnown[name]
    }

    private static let wellKnown = [
        "openid": "Recognise you when you sign in",
        "profile": "See your name and basic profile",
        "email": "See your email address",
        "address": "See your postal address",
        "phone": "See your phone number",
        "offline_access": "Keep this access while you are away",
    ]

    /// The row of the list; a scope without a description shows its name as it would stand in code.
    var listItem: HTMLText {
        let shownName = DisplayName(name, limit: 100, orElse: "?")
        guard let description else { return "<li><code>\(shownName)</code></li>" }
        let shown = DisplayName(description, limit: 160, orElse: name)
        guard description != Self.wellKnown[name] else { return "<li>\(shown)</li>" }
        return "<li>\(shown)<small><code>\(shownName)</code></small></li>"
    }
}
