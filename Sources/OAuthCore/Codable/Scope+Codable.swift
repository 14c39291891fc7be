// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension Scope: Codable {
    /// Writes the scope as one string, as in protocol messages.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Reads a scope from one string (RFC 6749 section 3.3).
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self = try DecodingError.wrapping(decoder) {
            try Scope(parsing: decoder.singleValueContainer().decode(String.self))
        }
    }
}
