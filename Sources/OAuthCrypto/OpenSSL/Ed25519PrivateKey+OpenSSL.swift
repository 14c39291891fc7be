// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// An Ed25519 private key (RFC 8032 section 5.1.5).
///
/// Copies share one key object. Any number of threads may sign with it at the same time.
package struct Ed25519PrivateKey: Sendable {
    private let handle: Ed25519KeyHandle

    /// The public key of the pair.
    package let publicKey: Ed25519PublicKey

    /// Generates a key with the system's random bytes.
    ///
    /// - Throws: ``CryptoError`` if OpenSSL cannot generate a key.
    package init() throws(CryptoError) {
        var seed = SystemRandom.bytes(32)
        defer { SecretMemory.wipe(&seed) }
        try self.init(rawRepresentation: seed)
    }

    /// Imports a private key, and computes the public key.
    ///
    /// - Parameter rawRepresentation: The seed, 32 bytes of any value.
    /// - Throws: ``CryptoError`` for any other length.
    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        guard rawRepresentation.count == 32 else {
            throw CryptoError("import a private key of Ed25519: it must be 32 octets long")
        }
        handle = try Ed25519KeyHandle(seed: rawRepresentation)
        var point = [UInt8](zeros: 32)
        var count = point.count
        guard unsafe EVP_PKEY_get_raw_public_key(handle.key, &point, &count) == 1, count == point.count else {
            throw OpenSSL.failure("read the public part of a key of Ed25519")
        }
        publicKey = try Ed25519PublicKey(rawRepresentation: point)
    }

    /// The seed, 32 bytes.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] {
        var seed = [UInt8](zeros: 32)
        var count = seed.count
        guard unsafe EVP_PKEY_get_raw_private_key(handle.key, &seed, &count) == 1, count == seed.count else {
            OpenSSL.unusable("write a private key that it made")
        }
        return seed
    }

    /// Signs.
    ///
    /// - Parameter message: The message. It may be empty.
    /// - Returns: R and S, 64 bytes; deterministic here, though not on every platform.
    /// - Throws: ``CryptoError`` if OpenSSL cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSL.failure("sign with Ed25519: no memory") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](zeros: 64)
        var length = signature.count
        let isSigned = unsafe OpenSSL.withPointer(message.span) { start, count in
            unsafe EVP_DigestSignInit(context, nil, nil, nil, handle.key) == 1
                && EVP_DigestSign(context, &signature, &length, start, count) == 1
        }
        guard isSigned, length == signature.count else { throw OpenSSL.failure("sign with Ed25519") }
        return signature
    }
}

/// OpenSSL's object for an Ed25519 private key.
///
/// Sendable although it holds a pointer: the object is not changed after `init`, and its references are counted
/// atomically. OpenSSL wipes the key when it frees it.
@safe
private final class Ed25519KeyHandle: @unchecked Sendable {
    let key: OpaquePointer

    init(seed: [UInt8]) throws(CryptoError) {
        let key = unsafe EVP_PKEY_new_raw_private_key_ex(nil, OpenSSL.name("ED25519"), nil, seed, seed.count)
        guard let key = unsafe key else { throw OpenSSL.failure("import a private key of Ed25519") }
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }
}
#endif
