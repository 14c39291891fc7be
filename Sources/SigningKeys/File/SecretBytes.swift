// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto
import Synchronization

/// Octets that are wiped when nobody needs them any more.
final class SecretBytes: Sendable {
    private let bytes: Mutex<[UInt8]>

    /// Takes a copy of its own, so that wiping reaches it.
    init(copying bytes: some Sequence<UInt8>) {
        var own: [UInt8] = []
        own.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes { own.append(byte) }
        self.bytes = Mutex(own)
    }

    deinit {
        bytes.withLock { SecretMemory.wipe(&$0) }
    }

    var count: Int { bytes.withLock { $0.count } }

    /// The octets; whoever keeps the array beyond the call keeps the secret.
    var exposed: [UInt8] { bytes.withLock { $0 } }
}
#endif
