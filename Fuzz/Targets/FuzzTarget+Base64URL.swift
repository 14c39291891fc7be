// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import StrictJSON

extension FuzzTarget {
    /// Text to bytes and back is the identity both ways, and what is refused is what Foundation's decoder finds wrong too,
    /// or bits that are left over.
    static let base64url = FuzzTarget("base64url") { input in
        Finding.unless((try? Base64URL.decode(Base64URL.encode(input))) == input, "decode(encode(x)) is not x")
        let decoded = try? Base64URL.decode(input[...])
        if let decoded {
            Finding.unless(Base64URL.encodeToBytes(decoded) == input, "encode(decode(x)) is not x")
        }
        Finding.unless(decoded == foundation(input), "Foundation decodes otherwise")
    }

    /// What Foundation makes of a text; `nil` also when there is another text for the same bytes.
    private static func foundation(_ input: [UInt8]) -> [UInt8]? {
        guard input.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") }) else {
            return nil
        }
        let text = String(decoding: input, as: UTF8.self)
            .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - input.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding) else { return nil }
        return data.base64EncodedString() == text + padding ? Array(data) : nil
    }
}
