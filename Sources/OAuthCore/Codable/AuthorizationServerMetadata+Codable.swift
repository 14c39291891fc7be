// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension AuthorizationServerMetadata: Codable {
    /// Writes the document with any encoder.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }

    /// Reads what ``encode(to:)`` wrote, with the checks of a document from the network.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self = try DecodingError.wrapping(decoder) {
            try AuthorizationServerMetadata(parsing: JSONObject(from: decoder))
        }
    }
}
