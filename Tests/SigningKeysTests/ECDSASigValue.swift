// SPDX-License-Identifier: Apache-2.0

/// The form of ECDSA signatures that openssl reads and writes.
enum ECDSASigValue {
    /// Writes r and s of a JWS signature as an `ECDSA-Sig-Value` (RFC 3279 section 2.2.3).
    static func encode(_ signature: [UInt8]) -> [UInt8] {
        let half = signature.count / 2
        let integers = [signature.prefix(half), signature.suffix(half)].flatMap { half -> [UInt8] in
            let number = Array(half.drop { $0 == 0 })
            let positive = number.first ?? 0x80 >= 0x80 ? [0] + number : number
            return [0x02, UInt8(positive.count)] + positive
        }
        return [0x30, UInt8(integers.count)] + integers
    }
}
