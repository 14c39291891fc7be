// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What the fields of a response say about a document of a client: its metadata document, or its key set.
struct DocumentFields {
    /// How long a document is used at least, and at most
    /// (draft-ietf-oauth-client-id-metadata-document-02 section 5.2).
    private static let lifetimes = (
        least: Duration.seconds(60), usual: Duration.seconds(3600), most: Duration.seconds(86_400)
    )

    /// No document is used for longer.
    static var longestLifetime: Duration { lifetimes.most }

    let fields: HTTPFields

    /// Whether the document is JSON, by its one media type.
    var isJSON: Bool {
        guard fields.values(for: "Content-Type").count == 1 else { return false }
        let type = (fields["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }

    /// `max-age` less `Age` (RFC 9111 section 4.2), within bounds.
    var lifetime: Duration {
        let directives = fields.values(for: "Cache-Control").joined(separator: ",").lowercased().split(separator: ",")
            .map {
                String($0.filter { $0 != " " && $0 != "\t" && $0 != "\"" })
            }
        if directives.contains("no-store") || directives.contains("no-cache") { return Self.lifetimes.least }
        let value = directives.first { $0.hasPrefix("max-age=") }?.dropFirst("max-age=".count)
        guard let seconds = value.flatMap({ Int64($0) }), seconds >= 0 else { return Self.lifetimes.usual }
        let age = fields["Age"].flatMap { Int64($0) }.map { max(0, min($0, 86_400)) } ?? 0
        return max(Self.lifetimes.least, min(.seconds(min(seconds, 10 * 86_400) - age), Self.lifetimes.most))
    }
}
