// SPDX-License-Identifier: Apache-2.0

extension HTTPFields.Field: CustomStringConvertible, CustomReflectable {
    /// The fields whose values are printed; all others may hold tokens, proofs, cookies or codes.
    private static let printed: Set<String> = [
        "accept", "allow", "cache-control", "content-encoding", "content-length", "content-type", "date", "host",
        "retry-after", "user-agent", "vary", "www-authenticate",
    ]

    private var printedValue: String {
        Self.printed.contains(String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)) ? value : "(redacted)"
    }

    /// The name, and the value of a field that holds no secret.
    public var description: String { "\(name): \(printedValue)" }

    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": printedValue]) }
}

extension HTTPFields: CustomStringConvertible, CustomReflectable {
    /// All names, with the values of those fields that hold no secret.
    public var description: String { all.map(\.description).joined(separator: "; ") }

    /// The same.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: all) }
}
