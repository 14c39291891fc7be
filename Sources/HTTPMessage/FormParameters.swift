// SPDX-License-Identifier: Apache-2.0

/// The parameters of a form body or a query (`application/x-www-form-urlencoded`, RFC 6749 appendix B), in order.
///
/// Names and values are compared byte by byte. Printing shows only names, because a value may be a code or a password.
public struct FormParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One parameter, decoded.
    public struct Parameter: Sendable, Hashable {
        /// The name, case-sensitive.
        public let name: String
        /// The value; may be empty.
        public let value: String

        /// Makes a parameter.
        ///
        /// - Parameters:
        ///   - name: The name, not encoded.
        ///   - value: The value, not encoded.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The media type of a form body.
    package static let mediaType = "application/x-www-form-urlencoded"

    /// Every parameter, decoded, in the order of the text.
    public private(set) var all: [Parameter]

    /// Makes an empty list.
    public init() {
        all = []
    }

    /// Makes a list from names and values.
    ///
    /// - Parameter elements: Names and values, not encoded, in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Parameter(name: $0.0, value: $0.1) }
    }

    /// Decodes a form body or the query of a URI.
    ///
    /// A `+` is a space, two hexadecimal digits must follow a `%`, and the result must be UTF-8. Control characters
    /// must be percent-encoded. Empty pieces (`a=b&&c=d`) are skipped; a piece without `=` is a name with an empty
    /// value.
    ///
    /// - Parameters:
    ///   - text: The encoded text. Its size is not limited here: limit the body first.
    ///   - maximumCount: How many parameters are read; more is an error.
    /// - Throws: ``HTTPMessageError/Code/malformedForm``.
    public init(decoding text: some Sequence<UInt8>, maximumCount: Int = 256) throws(HTTPMessageError) {
        var decoder = FormDecoder(maximumCount: maximumCount)
        try text.withBytes { bytes throws(HTTPMessageError) in try decoder.read(bytes) }
        all = try decoder.finish()
    }

    /// Decodes a form body or the query of a URI.
    ///
    /// - Parameters:
    ///   - text: The encoded text, without a `?`.
    ///   - maximumCount: How many parameters are read; more is an error.
    /// - Throws: ``HTTPMessageError/Code/malformedForm``.
    public init(decoding text: some StringProtocol, maximumCount: Int = 256) throws(HTTPMessageError) {
        try self.init(decoding: text.utf8, maximumCount: maximumCount)
    }

    /// The value of a parameter that may occur once; an empty value counts as absent (RFC 6749 section 3.1).
    ///
    /// - Parameter name: The name, case-sensitive.
    /// - Returns: The value, not empty; `nil` if the parameter is absent or empty.
    /// - Throws: ``HTTPMessageError/Code/duplicateParameter`` if the parameter occurs more than once, even if empty.
    public func value(for name: String) throws(HTTPMessageError) -> String? {
        var found: String?
        for parameter in all where ASCII.isSame(parameter.name, name) {
            guard found == nil else {
                throw HTTPMessageError(.duplicateParameter, "the parameter \(name) may occur only once")
            }
            found = parameter.value
        }
        return found?.isEmpty == true ? nil : found
    }

    /// The values of a parameter that may occur several times (`resource`, RFC 8707 section 2), in order.
    ///
    /// - Parameter name: The name, case-sensitive.
    /// - Returns: Every value, including empty ones; empty if the parameter is absent.
    public func values(for name: String) -> [String] {
        all.compactMap { ASCII.isSame($0.name, name) ? $0.value : nil }
    }

    /// The first name that occurs a second time; `nil` if all names differ.
    public var firstRepeatedName: String? {
        firstRepeatedName(except: nil)
    }

    /// The first name that occurs a second time, except one that may; `nil` if all others differ.
    ///
    /// - Parameter repeatable: The name that may occur several times.
    /// - Returns: The name.
    package func firstRepeatedName(except repeatable: String?) -> String? {
        var seen = Set<ExactText>(minimumCapacity: all.count)
        let repeatable = repeatable.map(ExactText.init)
        return all.lazy.map(\.name).first { name in
            let name = ExactText(name)
            return name != repeatable && !seen.insert(name).inserted
        }
    }

    /// Appends a parameter.
    ///
    /// - Parameters:
    ///   - name: The name, not encoded.
    ///   - value: The value, not encoded.
    public mutating func append(_ name: String, _ value: String) {
        all.append(Parameter(name: name, value: value))
    }

    /// Encodes the parameters for a body or a query (RFC 6749 appendix B).
    ///
    /// Everything except `A-Za-z0-9-._*` is percent-encoded as UTF-8; a space becomes a `+`.
    ///
    /// - Returns: ASCII text, `name=value` joined with `&`; empty if there are no parameters.
    public func encoded() -> String {
        String(decoding: encodedBytes(), as: UTF8.self)
    }

    /// The same text as bytes, for a body whose owner wipes it.
    package func encodedBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        // A buffer that grows leaves copies behind: no byte needs more than three.
        bytes.reserveCapacity(all.reduce(0) { $0 + 3 * ($1.name.utf8.count + $1.value.utf8.count) + 2 })
        for parameter in all {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            Self.append(parameter.name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            Self.append(parameter.value, to: &bytes)
        }
        return bytes
    }

    /// Encodes one text as a form does.
    ///
    /// A client identifier and secret are encoded this way before HTTP Basic joins them (RFC 6749 section 2.3.1).
    ///
    /// - Parameter text: The text, not encoded.
    /// - Returns: ASCII text.
    public static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "):
                bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "*"):
                bytes.append(byte)
            case _ where ASCII.isAlpha(byte) || ASCII.isDigit(byte):
                bytes.append(byte)
            default:
                ASCII.appendPercentEncoded(byte, to: &bytes)
            }
        }
    }
}

extension FormParameters.Parameter: CustomStringConvertible, CustomReflectable {
    /// The name, with a placeholder for the value.
    public var description: String { "\(name)=(redacted)" }

    /// Only the name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
