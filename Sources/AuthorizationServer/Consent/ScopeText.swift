// SPDX-License-Identifier: Apache-2.0

/// A scope value and its meaning for the user.
struct ScopeText: Sendable, Hashable {
    /// The scope value as requested (RFC 6749 section 3.3).
    let name: String
    /// What it allows, as an infinitive with a capital: "Read your notes"; `nil` if there is no description.
    let description: String?

    /// Makes the text for a scope value.
    ///
    /// - Parameters:
    ///   - name: The scope value.
    ///   - description: The operator's description; without it, the standard scopes of OpenID Connect (Core sections
    ///     5.4 and 11) have built-in ones.
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

    /// The list item; a scope without a description shows its name in code style.
    var listItem: HTMLText {
        let shownName = DisplayName(name, limit: 100, orElse: "?")
        guard let description else { return "<li><code>\(shownName)</code></li>" }
        let shown = DisplayName(description, limit: 160, orElse: name)
        guard description != Self.wellKnown[name] else { return "<li>\(shown)</li>" }
        return "<li>\(shown)<small><code>\(shownName)</code></small></li>"
    }
}
