// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

/// Random octets for keys, nonces and identifiers.
package enum SystemRandom {
    /// Random octets from the operating system.
    ///
    /// Ends the process when the generator fails: weak octets are never returned.
    ///
    /// - Parameter count: How many, at least 0.
    /// - Returns: `count` octets that nobody can guess.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = unsafe SecRandomCopyBytes(kSecRandomDefault, count, &bytes)
        // No input leads here, and nothing that needs secrets can go on without.
        guard status == errSecSuccess else { fatalError("the system cannot make random octets: status \(status)") }
        return bytes
    }
}
#endif
