// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
/// Wipes secrets that are no longer needed.
///
/// It works on arrays, not on text: a `String` such as a token or a typed password stays in freed memory until that
/// memory is used again. CryptoKit wipes its own keys.
package enum SecretMemory {
    /// Overwrites bytes with zeros.
    ///
    /// Never inlined, so that the compiler cannot remove the writes.
    ///
    /// An array that shares its storage is copied first, and only the copy is wiped: call this only on the last owner.
    ///
    /// - Parameter bytes: The bytes. Their count does not change.
    @inline(never)
    package static func wipe(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
    }

    /// Overwrites memory with zeros.
    ///
    /// Never inlined, for the same reason.
    ///
    /// - Parameter memory: The bytes.
    @inline(never)
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        for index in memory.indices { unsafe memory[index] = 0 }
    }
}
#endif
