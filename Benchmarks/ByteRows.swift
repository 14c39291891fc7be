// SPDX-License-Identifier: Apache-2.0

import JOSE

/// Reading JSON and base64url.
struct ByteRows {
    private static let header = """
        {"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",\
        "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}}
        """
    private static let payload = """
        {"jti":"-BwC3ESc6acc2lTcGh5Mzw","htm":"GET","htu":"https://resource.example.org/protectedresource","iat":1562262618,\
        "ath":"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"}
        """

    private let header = Array(Self.header.utf8)
    private let payload = Array(Self.payload.utf8)
    private let reference: OpenSSLReference

    init() throws {
        reference = try OpenSSLReference()
    }

    @MainActor
    func run() async throws -> [Row] {
        [try await parsing(), try await decoding()]
    }

    /// Header and payload read, and the members that a verifier looks at taken out.
    private func parsing() async throws -> Row {
        let both = header + payload
        precondition(both.count == 333, "\(both.count)")
        let rounds = try await Rounds.compare(
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
        return .times("json-parse-proof", rounds, beside: "EVP_Digest, SHA-256 of the 333 B", target: .atMost(0.5))
    }

    private func decoding() async throws -> Row {
        let bytes = (0..<168).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let text = Base64URL.encodeToBytes(bytes)
        let plain = text.map {
            $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
        }
        precondition(text.count == 224)
        let rounds = try await Rounds.compare(
            perTurn: 20_000,
            ours: { range in
                for _ in range {
                    let count = try Base64URL.decode(text[...]).count
                    precondition(count == 168)
                }
            },
            reference: { range in for _ in range { reference.decodeBase64(plain) } }
        )
        return .times("base64url-decode", rounds, beside: "EVP_DecodeBlock, 224 characters", target: .atMost(0.1))
    }
}
