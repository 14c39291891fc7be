// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// How the cost of parsing grows with the size of the text.
enum ByteGrowthRows {
    static let measurements = keySets + manyNames + base64

    private static let keySets = [256, 1024, 4096, 16_384, 65_536].map { size in
        measurement("growth-json-\(size)-bytes", text: keySet(of: size))
    }

    /// Names must be compared with each other; a careless parser does that in quadratic time.
    private static let manyNames = [1024, 4096, 16_384].map { size in
        measurement("growth-json-names-\(size)-bytes", text: names(of: size))
    }

    private static let base64 = [64, 224, 1024, 4096, 16_384, 65_536].map { length in
        let name = "growth-base64url-\(length)-characters"
        return Measurement("growth", name) {
            let rounds = try await ByteRows.decoding(length: length, perTurn: max(20, 2_000_000 / length))
            return [.times(name, rounds, beside: "EVP_DecodeBlock", target: nil)]
        }
    }

    private static func measurement(_ name: String, text: [UInt8]) -> Measurement {
        Measurement("growth", name) {
            let reference = try OpenSSLReference()
            let rounds = try await Rounds.compare(
                perTurn: max(10, 1_000_000 / text.count),
                ours: { range in for _ in range { _ = try JSONValue(parsing: text) } },
                reference: { range in for _ in range { reference.hash(text) } }
            )
            return [.times(name, rounds, beside: "SHA-256 of the same bytes", target: nil)]
        }
    }

    /// A JWK Set, filled up to its size with a string.
    private static func keySet(of size: Int) -> [UInt8] {
        let key =
            #"{"kty":"EC","crv":"P-256","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","#
            + #""y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}"#
        let start = #"{"keys":["#
        let middle = #"],"fill":""#
        let end = #""}"#
        let room = size - (start + middle + end).utf8.count
        let count = (room + 1) / (key.utf8.count + 1)
        let keys = Array(repeating: key, count: count).joined(separator: ",")
        let text = start + keys + middle + String(repeating: "a", count: room - keys.utf8.count) + end
        precondition(text.utf8.count == size)
        return Array(text.utf8)
    }

    private static func names(of size: Int) -> [UInt8] {
        // 12 bytes per member: `"name0000":0` and a comma.
        let members = (0..<(size - 1) / 12).map { number in
            let digits = String(number)
            return #""name"# + String(repeating: "0", count: 4 - digits.count) + digits + #"":0"#
        }
        return Array(("{" + members.joined(separator: ",") + "}").utf8)
    }
}
