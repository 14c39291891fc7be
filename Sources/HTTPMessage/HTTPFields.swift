// SPDX-License-Identifier: Apache-2.0

/// The header fields of a message, in order, each as sent.
///
/// Names are compared without ASCII case (RFC 9110 section 5.1). Repeated fields are not merged: a verifier must be
/// able to see whether two `DPoP` fields arrived (RFC 9449 section 4.3, check 1).
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name as sent.
        public let name: String
        /// The value without leading and trailing white space.
        public let value: String

        /// Makes a field line.
        ///
        /// - Parameters:
        ///   - name: The field name, a token.
        ///   - value: The value without surrounding white space.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What a listener hands on in place of a value that is no text: no value of any field is this.
    package static let unreadable = "\u{FFFD}"

    /// Every field line, in the order of the message.
    public private(set) var all: [Field]

    /// Makes a list of field lines.
    ///
    /// - Parameter fields: The lines, in the order of the message.
    public init(_ fields: [Field] = []) {
        all = fields
    }

    /// Makes a list of field lines from names and values.
    ///
    /// - Parameter elements: Names and values, in the order of the message; a name may occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field with a name; setting it replaces every field with that name.
    ///
    /// Use ``values(for:)`` if it matters whether a field occurs once.
    ///
    /// - Parameter name: The field name, in any case.
    public subscript(name: String) -> String? {
        get { all.first { ASCII.isSameIgnoringCase($0.name, name) }?.value }
        set {
            all.removeAll { ASCII.isSameIgnoringCase($0.name, name) }
            if let newValue { all.append(Field(name: name, value: newValue)) }
        }
    }

    /// The values of all fields with a name, in order, not split at commas.
    ///
    /// - Parameter name: The field name, in any case.
    /// - Returns: One element for each field line; empty if there is none.
    public func values(for name: String) -> [String] {
        all.compactMap { ASCII.isSameIgnoringCase($0.name, name) ? $0.value : nil }
    }

    /// Appends a field line.
    ///
    /// - Parameters:
    ///   - name: The field name, a token.
    ///   - value: The value without surrounding white space.
    public mutating func append(name: String, value: String) {
        all.append(Field(name: name, value: value))
    }
}
