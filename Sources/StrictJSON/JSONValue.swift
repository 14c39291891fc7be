// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// A JSON value, read strictly.
///
/// Beyond RFC 8259 this refuses: member names that occur twice in an object, a byte order mark, and what exceeds the
/// limits. Everything that RFC 8259 does not allow is refused too: trailing commas, comments, lone surrogates, bytes that
/// are not UTF-8, text after the value, numbers that are too large for a finite floating-point value.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as it was written.
    case number(JSONNumber)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with unique member names.
    case object(JSONObject)

    /// Reads a JSON text.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8, nothing but one value and white space.
    ///   - limits: How much is read before the text is refused.
    /// - Throws: ``StrictJSONError`` – ``StrictJSONError/Code/malformedJSON``, with the offset of the byte that cannot be;
    ///   ``StrictJSONError/Code/tooLarge``.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(StrictJSONError) {
        let document = try bytes.withSpan { bytes throws(StrictJSONError) in
            try JSONDocument.parse(bytes, limits: limits)
        }
        self = document.value()
    }

    /// Writes the value as JSON.
    ///
    /// - Returns: The text in UTF-8, without white space; members stay in order.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        JSONWriter.write(self, to: &output)
        return output
    }

    /// The string, when this is one.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, when this is a number written as an integer that fits.
    public var integerValue: Int64? {
        if case .number(let value) = self { value.integer } else { nil }
    }

    /// The truth value, when this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, when this is an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, when this is one.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// An array of strings.
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
    /// A string.
    ///
    /// - Parameter value: The string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// A number.
    ///
    /// - Parameter value: The integer.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }

    /// A truth value.
    ///
    /// - Parameter value: The truth value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// An array.
    ///
    /// - Parameter elements: The elements.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// An object; of members with the same name the last one stays.
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
