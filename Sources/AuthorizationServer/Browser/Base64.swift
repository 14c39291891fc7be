// SPDX-License-Identifier: Apache-2.0

import JOSE

/// Plain base64 with padding (RFC 4648 section 4), as Content-Security-Policy writes hashes.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: String(character)
            }
        }
        return text.joined() + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
