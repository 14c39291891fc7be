// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE
import Synchronization

/// A key in a token; it works again after the token was removed and inserted.
struct PKCS11SigningKey: SigningKey {
    private static let lastNumber = Atomic<UInt64>(0)

    /// The key as it was opened; its handle is valid only in the session that opened it.
    private let key: PKCS11Key
    private let pool: PKCS11SessionPool
    /// Identifies the key in the handle caches of sessions.
    private let number: UInt64

    init(_ key: PKCS11Key, _ pool: PKCS11SessionPool) {
        (self.key, self.pool) = (key, pool)
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    }

    var publicKey: JWK { key.publicKey }
    var algorithm: SignatureAlgorithm { key.algorithm.name }
    var protection: KeyProtection { key.protection }

    /// Signs a message, on a thread of the store unless the token is software.
    ///
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost`` if the token no longer has the key,
    ///   ``KeyStoreError/Code/deviceUnavailable`` without the token, and the other codes of ``PKCS11KeyStore``.
    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        let input = key.algorithm.input(for: message)
        // A PIN prompt must not block a shared thread.
        return try await pool.run(mayStay: !key.wantsPINEachTime) { session throws(KeyStoreError) in
            try sign(input, session)
        }
    }

    private func sign(_ input: [UInt8], _ session: PKCS11Session) throws(KeyStoreError) -> [UInt8] {
        do {
            return try session.sign(input, with: handle(session), of: key, pool.token.login)
        } catch {
            guard error.status?.isLostObject == true else { throw error }
        }
        // Deleted or renamed in the meantime: search the token once more.
        session.forgetHandle(of: number)
        return try session.sign(input, with: handle(session), of: key, pool.token.login)
    }

    private func handle(_ session: PKCS11Session) throws(KeyStoreError) -> CK_OBJECT_HANDLE {
        try session.handle(of: number) { () throws(KeyStoreError) in
            // By now the label may belong to a newer key.
            guard let found = try session.key(key.name, wanted: algorithm), found.publicKey == publicKey else {
                throw KeyStoreError(.keyLost, "the key is no longer in the token: sign in again")
            }
            return found.handle
        }
    }
}
#endif
