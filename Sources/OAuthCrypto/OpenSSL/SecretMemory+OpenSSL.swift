// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// Wipes secrets that are no longer needed.
///
/// It works on arrays and on memory of OpenSSL, not on text: a `String` such as a token or a typed password stays in
/// freed memory until that memory is used again.
package enum SecretMemory {
    /// Overwrites bytes with zeros, in a way that the compiler does not remove.
    ///
    /// An array that shares its storage is copied first, and only the copy is wiped: call this only on the last owner.
    ///
    /// - Parameter bytes: The bytes. Their count does not change.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    /// Overwrites memory with zeros in a way that the compiler does not remove.
    ///
    /// - Parameter memory: The bytes.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    }
}
#endif
