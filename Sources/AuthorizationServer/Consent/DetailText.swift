// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import StrictJSON

/// One of the authorization details, and its meaning for the user (RFC 9396 section 11.3).
struct DetailText: Sendable, Hashable {
    /// The detail, as the client sent it.
    let detail: AuthorizationDetail
    /// What it allows, as an infinitive with a capital; `nil` if the operator gave no description.
    let description: String?
    /// The display names of its members.
    let fieldNames: [String: String]

    /// Makes the text for a detail of a type.
    init(_ detail: AuthorizationDetail, of type: AuthorizationDetailType?) {
        self.detail = detail
        description = type?.text
        let named = type?.fields.compactMap { field in field.text.map { (field.name, $0) } } ?? []
        fieldNames = Dictionary(named, uniquingKeysWith: { first, _ in first })
    }

    /// The list item: what it allows, and every member.
    var listItem: HTMLText {
        let type = DisplayName(detail.type, limit: 100, orElse: "?")
        let members = detail.json.members.filter { $0.name != "type" }.map(row)
        let rows = HTMLText(lines: members)
        guard let description else { return "<li><code>\(type)</code>\(rows)</li>" }
        let shown = DisplayName(description, limit: 160, orElse: detail.type)
        return "<li>\(shown)<small><code>\(type)</code></small>\(rows)</li>"
    }

    private func row(_ member: JSONObject.Member) -> HTMLText {
        let name = DisplayName(fieldNames[member.name] ?? member.name, limit: 100, orElse: "?")
        let value = DisplayName(
            AuthorizationDetailField.text(of: member.value),
            limit: AuthorizationDetailField.maximumLength,
            orElse: "nothing"
        )
        return "<small>\(name): \(value)</small>"
    }
}
