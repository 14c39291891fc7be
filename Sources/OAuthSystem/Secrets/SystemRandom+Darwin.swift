// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

/// Random bytes for keys, nonces and identifiers.
package enum SystemRandom {
    /// Generates random bytes with the operating system.
    ///
    /// Ends the process if the generator fails: it never returns weak bytes.
    ///
    /// - Parameter count: The number of bytes, at least 0.
    /// - Returns: `count` bytes that an attacker cannot predict.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = unsafe SecRandomCopyBytes(kSecRandomDefault, count, &bytes)
        // No input causes this, and nothing that needs secrets can continue.
        guard status == errSecSuccess else { fatalError("the system cannot make random octets: status \(status)") }
        return bytes
    }
}
#endif
