// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import JOSE
import OAuthSystem

extension PKCS11Session {
    /// The maximum size of a label or an identifier that is read, in bytes.
    private static let maximumNameCount = 1024

    /// The private keys with a name, or all of them.
    ///
    /// If other code of the process logged it out, a token hides its private keys. Then this throws the error that
    /// makes ``PKCS11SessionThread`` log in again.
    func privateKeys(_ name: PKCS11Key.Name = PKCS11Key.Name()) throws(KeyStoreError) -> [CK_OBJECT_HANDLE] {
        let found = try objects(name.template(CKO_PRIVATE_KEY))
        if found.isEmpty, try module.info(ofTokenIn: slot).flags & CKF_LOGIN_REQUIRED != 0, try !isLoggedIn() {
            throw PKCS11Status(function: "C_GetSessionInfo", value: CKR_USER_NOT_LOGGED_IN).error
        }
        return found
    }

    /// The private key with a name; `nil` if there is none.
    ///
    /// `wanted` is the algorithm of an RSA key that does not report its own.
    func key(
        _ name: PKCS11Key.Name,
        wanted: SignatureAlgorithm? = nil
    ) throws(KeyStoreError) -> PKCS11Key? {
        let found = try privateKeys(name)
        guard let handle = found.first else { return nil }
        guard found.count == 1 else {
            throw KeyStoreError(
                .deviceFailed,
                "\(found.count) keys of the token have that name: use the identifier of one, or delete the others"
            )
        }
        return try describe(handle, wanted: wanted)
    }

    /// The private key with a name, as ``key(_:wanted:)``; if only its public key is left, it is lost.
    func keyOrLoss(
        _ name: PKCS11Key.Name,
        wanted: SignatureAlgorithm?
    ) throws(KeyStoreError) -> PKCS11Key? {
        // Read first: a new key gets its label on the private key before the public key.
        let hasPublicHalf = try !objects(name.template(CKO_PUBLIC_KEY)).isEmpty
        if let key = try key(name, wanted: wanted) { return key }
        guard hasPublicHalf else { return nil }
        throw KeyStoreError(
            .keyLost,
            "the token has the public key but no longer the private key: delete it and sign in again"
        )
    }

    /// The alias of a private key with a public half; only attributes are read, no key is used.
    ///
    /// Keys of other programs that cannot be read are skipped; a lost session is an error.
    func alias(of key: JWK) throws(KeyStoreError) -> KeyAlias? {
        let thumbprint = key.thumbprint
        for handle in try privateKeys() {
            do throws(KeyStoreError) {
                guard let label = try self.label(of: handle),
                    let alias = try? KeyAlias(String(decoding: label, as: UTF8.self))
                else { continue }
                if try describe(handle, wanted: nil).publicKey.thumbprint == thumbprint { return alias }
            } catch {
                if let status = error.status, status.isLostSession || status.isLoggedOut { throw error }
            }
        }
        return nil
    }

    func describe(
        _ handle: CK_OBJECT_HANDLE,
        wanted: SignatureAlgorithm?
    ) throws(KeyStoreError) -> PKCS11Key {
        let id = try attribute(CKA_ID, of: handle, maximumCount: Self.maximumNameCount) ?? []
        let label = try label(of: handle) ?? []
        guard let keyType = try number(CKA_KEY_TYPE, of: handle) else {
            throw PKCS11Module.lie("a key has no type")
        }
        let publicHalf = try publicHalf(of: handle, keyType, id: id, label: label)
        let parameters = try attribute(CKA_EC_PARAMS, of: publicHalf, maximumCount: 1024)
        let rsa = PKCS11KeyMaker.algorithm(ofID: id) ?? wanted
        guard let algorithm = PKCS11Algorithm(keyType: keyType, parameters: parameters, rsa: rsa) else {
            throw KeyStoreError(.unsupportedAlgorithm, "the key is not of RSA, nor of EC on P-256 or P-384")
        }
        let numbers = try PKCS11PublicNumbers(publicHalf, algorithm, in: self)
        let flags = try flags(of: handle)
        return PKCS11Key(
            handle: handle,
            label: label,
            id: id,
            algorithm: algorithm,
            publicKey: numbers.key,
            signatureCount: numbers.signatureCount,
            flags: flags,
            protection: try protection(flags),
            wantsPINEachTime: try flag(CKA_ALWAYS_AUTHENTICATE, of: handle) ?? false
        )
    }

    /// The label of an object; `nil` if it has none.
    func label(of handle: CK_OBJECT_HANDLE) throws(KeyStoreError) -> [UInt8]? {
        try attribute(CKA_LABEL, of: handle, maximumCount: Self.maximumNameCount)
    }

    /// The object with the public numbers of a private key: one with the same identifier, or the private key itself.
    private func publicHalf(
        of privateKey: CK_OBJECT_HANDLE,
        _ keyType: CK_KEY_TYPE,
        id: [UInt8],
        label: [UInt8]
    ) throws(KeyStoreError) -> CK_OBJECT_HANDLE {
        let name = id.isEmpty ? PKCS11Key.Name(label: label) : PKCS11Key.Name(id: id)
        var template = name.template(CKO_PUBLIC_KEY)
        template.add(CKA_KEY_TYPE, keyType)
        let found = try objects(template)
        guard found.count <= 1 else {
            throw KeyStoreError(.deviceFailed, "several public keys of the token have the identifier of the key")
        }
        return found.first ?? privateKey
    }

    private func flags(of handle: CK_OBJECT_HANDLE) throws(KeyStoreError) -> PKCS11Key.Flags {
        PKCS11Key.Flags(
            isSensitive: try flag(CKA_SENSITIVE, of: handle),
            wasAlwaysSensitive: try flag(CKA_ALWAYS_SENSITIVE, of: handle),
            isExtractable: try flag(CKA_EXTRACTABLE, of: handle),
            wasNeverExtractable: try flag(CKA_NEVER_EXTRACTABLE, of: handle),
            wasMadeThere: try flag(CKA_LOCAL, of: handle)
        )
    }

    /// The protection of a key: the token must report that it is hardware, made the key, and never exported it.
    private func protection(_ flags: PKCS11Key.Flags) throws(KeyStoreError) -> KeyProtection {
        let isHardware = try module.info(ofSlot: slot).flags & CKF_HW_SLOT != 0
        return isHardware && flags.neverLeft ? .hardwareBound : .osProtected
    }

    func sign(
        _ input: [UInt8],
        with handle: CK_OBJECT_HANDLE,
        of key: PKCS11Key,
        _ login: PKCS11Login
    ) throws(KeyStoreError) -> [UInt8] {
        guard key.wantsPINEachTime else {
            return try sign(input, with: handle, key.algorithm, count: key.signatureCount, authenticate: nil)
        }
        return try sign(input, with: handle, key.algorithm, count: key.signatureCount) { () throws(KeyStoreError) in
            try login.confirm(self)
        }
    }

    /// Signs a test message, to verify that private and public key match.
    func verify(_ key: PKCS11Key, _ login: PKCS11Login) throws(KeyStoreError) {
        let message = SystemRandom.bytes(32)
        let signature = try sign(key.algorithm.input(for: message), with: key.handle, of: key, login)
        guard key.publicKey.isValidSignature(signature, for: message, algorithm: key.algorithm.name) else {
            throw PKCS11Module.lie("what the private key signs is not valid with its public half")
        }
    }
}
#endif
