// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// Random octets for keys, nonces and identifiers.
package enum SystemRandom {
    /// Random octets from the operating system's source, through OpenSSL's generator.
    ///
    /// Ends the process when the generator fails: weak octets are never returned.
    ///
    /// - Parameter count: How many, 0 to 2^31 - 1.
    /// - Returns: `count` octets that nobody can guess.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](zeros: count)
        let status = unsafe RAND_bytes(&bytes, Int32(count))
        guard status == 1 else {
            OpenSSL.unusable("make random octets")
        }
        return bytes
    }
}
#endif
