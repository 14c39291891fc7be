// SPDX-License-Identifier: Apache-2.0

/// One pattern of `applinks`, with the apps that it is for.
struct AppLinkRule: Sendable, Hashable {
    enum Query: Sendable, Hashable {
        case whole(AppLinkPattern)
        /// Every name must be there with a value that matches.
        case items([String: AppLinkPattern])
    }

    let apps: [String]
    let path: AppLinkPattern
    let query: Query
    let fragment: AppLinkPattern
    /// Whether patterns are those of a URL as it is written, or of its decoded components.
    let isPercentEncoded: Bool
    /// Whether a match keeps the URL from the app.
    let excludes: Bool

    /// Whether a URL without a fragment matches.
    func matches(path text: String, query queryText: String) -> Bool {
        path.matches(component(text.isEmpty ? "/" : text)) && matches(queryText) && fragment.matches("")
    }

    private func matches(_ text: String) -> Bool {
        switch query {
        case .whole(let pattern): return pattern.matches(component(text))
        case .items(let patterns):
            let items = text.split(separator: "&").map { item in
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: Self.decoded(String(parts[0])), value: parts.count > 1 ? String(parts[1]) : "")
            }
            return patterns.allSatisfy { name, pattern in
                items.contains { $0.name == name && pattern.matches(component($0.value)) }
            }
        }
    }

    private func component(_ text: String) -> String {
        isPercentEncoded ? text : Self.decoded(text)
    }

    /// The text of a component of a URL; what is not UTF-8 becomes U+FFFD.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
