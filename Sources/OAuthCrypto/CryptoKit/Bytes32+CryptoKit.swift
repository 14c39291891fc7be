// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

#if canImport(CryptoKit)
extension Bytes32 {
    /// Copies the first 32 bytes of a sequence from CryptoKit.
    init(copying octets: some Sequence<UInt8>) {
        self.init()
        withMutableBytes { target in
            for (index, octet) in zip(0..<32, octets) { target[index] = octet }
        }
    }
}
#endif
