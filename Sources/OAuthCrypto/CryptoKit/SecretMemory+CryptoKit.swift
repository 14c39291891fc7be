// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
/// Wiping of secrets that are no longer needed.
///
/// It reaches arrays. Text does not: what arrives or goes out as a `String`, such as a token or a typed password, stays in
/// freed memory until that is used again. CryptoKit wipes its own keys.
package enum SecretMemory {
    /// Overwrites octets with zeros; never inlined, so that the compiler cannot see that nobody reads them.
    ///
    /// An array that shares its storage with another one is copied first, and only the copy is wiped: wipe where the
    /// last owner is.
    ///
    /// - Parameter bytes: The octets; their count stays.
    @inline(never)
    package static func wipe(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
    }

    /// Overwrites memory with zeros; never inlined either.
    ///
    /// - Parameter memory: The octets.
    @inline(never)
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        for index in memory.indices { unsafe memory[index] = 0 }
    }
}
#endif
