// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Parsing JSON and base64url.
enum ByteRows {
    private static let header = """
        {"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",\
        "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}}
        """
    private static let payload = """
        {"jti":"-BwC3ESc6acc2lTcGh5Mzw","htm":"GET","htu":"https://resource.example.org/protectedresource","iat":1562262618,\
        "ath":"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"}
        """

    static let measurements = [
        Measurement("bytes", "json-parse-proof") {
            let (rounds, pace) = try await MachinePace.during(parsing)
            let target = Row.Target.atMostScaled(0.5, pace: pace)
            return [.times("json-parse-proof", rounds, beside: "EVP_Digest, SHA-256 of the 333 B", target: target)]
        },
        Measurement("bytes", "base64url-decode") {
            let (rounds, pace) = try await MachinePace.during { try await decoding(length: 224, perTurn: 20_000) }
            let target = Row.Target.atMostScaled(0.1, pace: pace)
            return [.times("base64url-decode", rounds, beside: "EVP_DecodeBlock, 224 characters", target: target)]
        },
    ]

    /// Parses header and payload, and reads the members that a verifier uses.
    @MainActor
    private static func parsing() async throws -> Rounds {
        let header = Array(header.utf8)
        let payload = Array(payload.utf8)
        let both = header + payload
        precondition(both.count == 333, "\(both.count)")
        let reference = try OpenSSLReference()
        return try await Rounds.compare(
            perTurn: 10_000,
            ours: { range in
                for _ in range {
                    let header = try JSONValue(parsing: header).objectValue
                    let payload = try JSONValue(parsing: payload).objectValue
                    precondition(header?["jwk"] != nil && payload?["jti"] != nil)
                }
            },
            reference: { range in for _ in range { reference.hash(both) } }
        )
    }

    /// Decodes this many characters, a multiple of four, compared with OpenSSL's decoder of plain base64.
    @MainActor
    static func decoding(length: Int, perTurn: Int) async throws -> Rounds {
        let bytes = (0..<length / 4 * 3).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let text = Base64URL.encodeToBytes(bytes)
        let plain = text.map {
            $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
        }
        precondition(text.count == length)
        let reference = try OpenSSLReference()
        return try await Rounds.compare(
            perTurn: perTurn,
            ours: { range in
                for _ in range {
                    let count = try Base64URL.decode(text[...]).count
                    precondition(count == bytes.count)
                }
            },
            reference: { range in for _ in range { reference.decodeBase64(plain) } }
        )
    }
}
