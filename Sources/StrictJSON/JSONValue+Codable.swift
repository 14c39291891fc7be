// SPDX-License-Identifier: Apache-2.0

extension JSONValue: Codable {
    /// Writes the value with any encoder.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        if case .object(let object) = self { return try object.encode(to: encoder) }
        if case .array(let values) = self { return try values.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .number(let value):
            if let integer = value.integer { try container.encode(integer) } else { try container.encode(value.double) }
        case .null, .object, .array: try container.encodeNil()
        }
    }

    /// Reads a value with any decoder.
    ///
    /// A number with a fraction or an exponent, and one that does not fit into 64 bits, gets the spelling of its nearest
    /// floating-point value.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        if let object = try? JSONObject(from: decoder) {
            self = .object(object)
        } else if let values = try? [JSONValue](from: decoder) {
            self = .array(values)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .number(JSONNumber(value)) }
        if let value = try? container.decode(Double.self), value.isFinite {
            return .number(JSONNumber(literal: value.description))
        }
        return .string(try container.decode(String.self))
    }
}

extension JSONObject: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes the members with any encoder.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for member in members { try container.encode(member.value, forKey: Name(stringValue: member.name)) }
    }

    /// Reads the members with any decoder, in ascending order of their names: decoders keep no order.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        self.init()
        for name in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            self[name.stringValue] = try container.decode(JSONValue.self, forKey: name)
        }
    }
}

extension DecodingError {
    /// Reads a value that has a form of its own, and wraps the error if it is malformed.
    ///
    /// - Parameters:
    ///   - decoder: The decoder that the value comes from.
    ///   - read: Reads it.
    /// - Returns: The value.
    /// - Throws: `DecodingError`.
    package static func wrapping<Value>(_ decoder: any Decoder, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError.dataCorrupted(
                Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "the value does not have the form that its type requires",
                    underlyingError: error
                )
            )
        }
    }
}
