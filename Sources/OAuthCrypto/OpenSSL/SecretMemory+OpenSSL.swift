// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// Wiping of secrets that are no longer needed.
///
/// It reaches arrays and what OpenSSL holds. Text does not: what arrives or goes out as a `String`, such as a token or a
/// typed password, stays in freed memory until that is used again.
package enum SecretMemory {
    /// Overwrites octets with zeros in a way the compiler does not drop.
    ///
    /// An array that shares its storage with another one is copied first, and only the copy is wiped: wipe where the
    /// last owner is.
    ///
    /// - Parameter bytes: The octets; their count stays.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    /// Overwrites memory with zeros in a way the compiler does not drop.
    ///
    /// - Parameter memory: The octets.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    }
}
#endif
