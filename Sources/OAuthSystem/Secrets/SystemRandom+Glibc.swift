// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Random bytes for keys, nonces and identifiers.
package enum SystemRandom {
    /// The most bytes that one call of `getentropy` returns.
    private static let maximumCount = 256

    /// Generates random bytes with the operating system.
    ///
    /// Ends the process if the source fails: it never returns weak bytes.
    ///
    /// - Parameter count: The number of bytes, at least 0.
    /// - Returns: `count` bytes that an attacker cannot predict.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](zeros: count)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            var filled = 0
            while filled < buffer.count {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...].prefix(maximumCount))
                // No input causes this, and nothing that needs secrets can continue.
                guard unsafe getentropy(part.baseAddress, part.count) == 0 else {
                    fatalError("the system cannot make random octets: error \(errno)")
                }
                filled += part.count
            }
        }
        return bytes
    }
}
#endif
