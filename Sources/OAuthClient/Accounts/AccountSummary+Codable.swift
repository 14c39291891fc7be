// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension AccountSummary: Codable {
    /// Writes the account with any encoder.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        self = try DecodingError.wrapping(decoder) {
            guard let account = AccountSummary(try JSONObject(from: decoder)) else {
                throw OAuthClientError(.storageFailed, "what was stored is not an account")
            }
            return account
        }
    }
}
