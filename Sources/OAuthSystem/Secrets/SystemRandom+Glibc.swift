// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Random octets for keys, nonces and identifiers.
package enum SystemRandom {
    /// What `getentropy` fills in one call, in octets.
    private static let maximumCount = 256

    /// Random octets from the operating system's source.
    ///
    /// Ends the process when the source fails: weak octets are never returned.
    ///
    /// - Parameter count: How many, at least 0.
    /// - Returns: `count` octets that nobody can guess.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](zeros: count)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            var filled = 0
            while filled < buffer.count {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...].prefix(maximumCount))
                // No input leads here, and nothing that needs secrets can go on without.
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
