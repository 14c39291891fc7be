// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// Wiping of secrets that are no longer needed.
package enum SecretMemory {
    /// Overwrites octets with zeros in a way the compiler does not drop.
    ///
    /// An array that shares its storage with another one is copied first, and only the copy is wiped: wipe where the
    /// last owner is.
    ///
    /// - Parameter bytes: The octets; their count stays.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
#endif
