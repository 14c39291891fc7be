// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// What attempts are counted under, for example a user name: stored as a hash, since people also type their password
/// where the name belongs.
public struct AttemptKey: Sendable, Hashable {
    /// SHA-256 of the parts, 32 bytes.
    public let bytes: [UInt8]

    /// Makes a key.
    ///
    /// - Parameter parts: What is counted and for whom; each part with its length, so that no two lists are alike.
    public init(_ parts: String...) {
        var input: [UInt8] = []
        for part in parts {
            input += Array("\(part.utf8.count):".utf8) + Array(part.utf8)
        }
        bytes = SHA256.hash(input).bytes
    }
}
