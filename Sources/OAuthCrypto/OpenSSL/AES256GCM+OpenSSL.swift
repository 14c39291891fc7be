// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// Authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D): 12-byte nonce, 16-byte tag.
package enum AES256GCM {
    private static let keyCount = 32
    private static let nonceCount = 12
    private static let tagCount = 16
    private static let algorithm = unsafe SharedHandle(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "find AES-256-GCM")

    /// Encrypts and authenticates.
    ///
    /// - Parameters:
    ///   - plaintext: The text to encrypt. May be empty.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes. Never use one twice with the same key.
    ///   - header: Authenticated but not encrypted data. May be empty.
    /// - Returns: The ciphertext, as long as the plaintext, and after it the 16 bytes of the tag.
    /// - Throws: ``CryptoError`` if the key or the nonce has the wrong length.
    package static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating header: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let context = try CipherContext()
        try context.start(key: key, nonce: nonce, encrypting: true)
        var sealed = [UInt8](zeros: plaintext.count + tagCount)
        guard context.authenticate(header), context.update(plaintext.span, into: &sealed), context.finish(),
            context.readTag(into: &sealed, at: plaintext.count)
        else { throw OpenSSL.failure("encrypt with AES-256-GCM") }
        return sealed
    }

    /// Authenticates and decrypts.
    ///
    /// - Parameters:
    ///   - sealed: The ciphertext, and after it the 16 bytes of the tag.
    ///   - key: 32 bytes.
    ///   - nonce: The nonce of the encryption, 12 bytes.
    ///   - header: The authenticated but not encrypted data.
    /// - Returns: The plaintext.
    /// - Throws: ``CryptoError`` if authentication fails, or a parameter has the wrong length. No plaintext is returned
    ///   then.
    package static func open(
        _ sealed: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating header: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= tagCount else { throw CryptoError("decrypt with AES-256-GCM: shorter than a tag") }
        let context = try CipherContext()
        try context.start(key: key, nonce: nonce, encrypting: false)
        let count = sealed.count - tagCount
        var plaintext = [UInt8](zeros: count)
        guard context.authenticate(header), context.update(sealed.span.extracting(0..<count), into: &plaintext),
            context.setTag(Array(sealed[count...])), context.finish()
        else {
            SecretMemory.wipe(&plaintext)
            throw OpenSSL.failure("decrypt with AES-256-GCM: not authentic")
        }
        return plaintext
    }

    @safe
    private struct CipherContext: ~Copyable {
        private let pointer: OpaquePointer

        init() throws(CryptoError) {
            guard let pointer = unsafe EVP_CIPHER_CTX_new() else {
                throw OpenSSL.failure("use AES-256-GCM: no context")
            }
            unsafe self.pointer = pointer
        }

        deinit {
            unsafe EVP_CIPHER_CTX_free(pointer)
        }

        func start(key: [UInt8], nonce: [UInt8], encrypting: Bool) throws(CryptoError) {
            guard key.count == keyCount, nonce.count == nonceCount else {
                throw CryptoError("use AES-256-GCM: the key must be 32 octets and the nonce 12")
            }
            guard unsafe EVP_CipherInit_ex2(pointer, algorithm.pointer, key, nonce, encrypting ? 1 : 0, nil) == 1 else {
                throw OpenSSL.failure("use AES-256-GCM: the key was refused")
            }
        }

        func authenticate(_ header: [UInt8]) -> Bool {
            guard !header.isEmpty else { return true }
            var written: Int32 = 0
            guard let count = Int32(exactly: header.count) else { return false }
            return unsafe EVP_CipherUpdate(pointer, nil, &written, header, count) == 1
        }

        func update(_ input: Span<UInt8>, into output: inout [UInt8]) -> Bool {
            guard !input.isEmpty else { return true }
            var written: Int32 = 0
            guard let count = Int32(exactly: input.count) else { return false }
            let status = unsafe input.withUnsafeBufferPointer {
                unsafe EVP_CipherUpdate(pointer, &output, &written, $0.baseAddress, count)
            }
            return status == 1 && written == count
        }

        func finish() -> Bool {
            var written: Int32 = 0
            var rest = [UInt8](zeros: tagCount)
            return unsafe EVP_CipherFinal_ex(pointer, &rest, &written) == 1 && written == 0
        }

        func readTag(into output: inout [UInt8], at offset: Int) -> Bool {
            unsafe output.withUnsafeMutableBytes { output in
                unsafe EVP_CIPHER_CTX_ctrl(
                    pointer,
                    EVP_CTRL_AEAD_GET_TAG,
                    Int32(tagCount),
                    output.baseAddress.map { unsafe $0 + offset }
                )
            } == 1
        }

        func setTag(_ tag: [UInt8]) -> Bool {
            var tag = tag
            return unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
        }
    }
}
#endif
