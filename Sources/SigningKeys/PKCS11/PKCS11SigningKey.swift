// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE
import Synchronization

/// A key in a token; it goes on working when the token was taken out and put back.
struct PKCS11SigningKey: SigningKey {
    private static let lastNumber = Atomic<UInt64>(0)

    /// The key as it was opened; its handle is only that of the session which did so.
    private let key: PKCS11Key
    private let pool: PKCS11SessionPool
    /// What sessions remember the handle by.
    private let number: UInt64

    init(_ key: PKCS11Key, _ pool: PKCS11SessionPool) {
        (self.key, self.pool) = (key, pool)
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    }

    var publicKey: JWK { key.publicKey }
    var algorithm: SignatureAlgorithm { key.algorithm.name }
    var protection: KeyProtection { key.protection }

    /// Signs a message, on a thread of the store unless the token is a program.
    ///
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost`` when the token has the key no more,
    ///   ``KeyStoreError/Code/deviceUnavailable`` without the token, and the other codes of ``PKCS11KeyStore``.
    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        let input = key.algorithm.input(for: message)
        // A PIN is not a thing to wait for on a thread that others need.
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
        // Deleted, or called something else since: the token is looked through once more.
        session.forgetHandle(of: number)
        return try session.sign(input, with: handle(session), of: key, pool.token.login)
    }

    private func handle(_ session: PKCS11Session) throws(KeyStoreError) -> CK_OBJECT_HANDLE {
        try session.handle(of: number) { () throws(KeyStoreError) in
            // The name may be that of a newer key by now.
            guard let found = try session.key(key.name, wanted: algorithm), found.publicKey == publicKey else {
                throw KeyStoreError(.keyLost, "the token does not have the key any more: sign in anew")
            }
            return found.handle
        }
    }
}
#endif
