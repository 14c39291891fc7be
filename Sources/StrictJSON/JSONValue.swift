// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// A strictly parsed JSON value.
///
/// The parser rejects everything that RFC 8259 does not allow: trailing commas, comments, lone surrogates, bytes that
/// are not UTF-8, text after the value. It also rejects duplicate member names in an object, a byte order mark, numbers
/// too large for a finite floating-point value, and text that exceeds the limits.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// The literal `true` or `false`.
    case bool(Bool)
    /// A number in its original spelling.
    case number(JSONNumber)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with unique member names.
    case object(JSONObject)

    /// Parses a JSON text.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8: one value, surrounded only by white space.
    ///   - limits: The limits beyond which the text is rejected.
    /// - Throws: ``StrictJSONError`` – ``StrictJSONError/Code/malformedJSON``, with its ``StrictJSONError/offset``;
    ///   ``StrictJSONError/Code/tooLarge``.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(StrictJSONError) {
        let document = try bytes.withSpan { bytes throws(StrictJSONError) in
            try JSONDocument.parse(bytes, limits: limits)
        }
        self = document.value()
    }

    /// Encodes the value as JSON.
    ///
    /// - Returns: The text in UTF-8, without white space. Members keep their order.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        JSONWriter.write(self, to: &output)
        return output
    }

    /// The string; `nil` for any other value.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer; `nil` for any other value, and for a number with a fraction or an exponent, or that does not fit.
    public var integerValue: Int64? {
        if case .number(let value) = self { value.integer } else { nil }
    }

    /// The Boolean; `nil` for any other value.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of the array; `nil` for any other value.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object; `nil` for any other value.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Creates an array of strings.
    ///
    /// - Parameter values: The strings.
    /// - Returns: The array.
    public static func strings(_ values: [String]) -> JSONValue {
        .array(values.map { .string($0) })
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    ///
    /// - Parameter value: The string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates a number.
    ///
    /// - Parameter value: The integer.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }

    /// Creates a Boolean.
    ///
    /// - Parameter value: The Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Creates an array.
    ///
    /// - Parameter elements: The elements.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Creates an object; if names occur twice, the last member is kept.
    ///
    /// - Parameter elements: Names and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements {
            object[name] = value
        }
        self = .object(object)
    }
}
