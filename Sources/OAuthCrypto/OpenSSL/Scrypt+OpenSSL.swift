// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// Derives keys from passwords: scrypt (RFC 7914).
package enum Scrypt {
    /// The maximum memory of one derivation: 1 GiB.
    private static let maximumMemory = 1 << 30

    /// Derives a key.
    ///
    /// This is slow on purpose: never call it on the cooperative thread pool.
    ///
    /// - Parameters:
    ///   - password: Any number of bytes.
    ///   - salt: Any number of bytes; 16 random ones in this project.
    ///   - parameters: Work and memory, at most 1 GiB.
    ///   - count: The length of the key in bytes, 1 to 1024.
    /// - Returns: The key, `count` bytes.
    /// - Throws: ``CryptoError`` if a parameter is outside RFC 7914 section 2 or the limits above, or memory is short.
    package static func deriveKey(
        from password: [UInt8],
        salt: [UInt8],
        parameters: ScryptParameters,
        count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (1...1024).contains(count) else {
            throw CryptoError("derive a key with scrypt: the length must be 1 to 1024 octets")
        }
        let memory = try memory(of: parameters)
        var key = [UInt8](zeros: count)
        let status = unsafe password.withUnsafeBytes { password in
            unsafe OpenSSL.withPointer(salt.span) { saltStart, saltCount in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    password.count,
                    saltStart,
                    saltCount,
                    UInt64(parameters.cost),
                    UInt64(parameters.blockSize),
                    UInt64(parameters.parallelism),
                    UInt64(memory),
                    &key,
                    count
                )
            }
        }
        guard status == 1 else { throw OpenSSL.failure("derive a key with scrypt: refused by OpenSSL") }
        return key
    }

    /// The memory limit for OpenSSL in bytes.
    ///
    /// Its default of 32 MiB is too small for the parameters of a passphrase.
    private static func memory(of parameters: ScryptParameters) throws(CryptoError) -> Int {
        let (cost, blockSize, parallelism) = (parameters.cost, parameters.blockSize, parameters.parallelism)
        guard cost > 1, cost & (cost - 1) == 0, cost <= 1 << 24, (1...1024).contains(blockSize),
            (1...1024).contains(parallelism)
        else {
            throw CryptoError("derive a key with scrypt: a parameter is outside its range")
        }
        // 128 r bytes for each of N blocks, p blocks, and two for mixing.
        let memory = 128 * blockSize * (cost + parallelism + 2)
        guard memory <= maximumMemory else {
            throw CryptoError("derive a key with scrypt: the parameters need more than 1 GiB")
        }
        return memory
    }
}
#endif
