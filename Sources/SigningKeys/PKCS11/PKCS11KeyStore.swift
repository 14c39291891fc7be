// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import OAuthSystem
import Synchronization

/// Keys in a token that is used through a PKCS #11 module: a smart card, a security module, SoftHSM.
///
/// The alias of a key is its label in the token. New keys can only sign, with ES256, ES384, RS256 or PS256, and are
/// marked not exportable. The first time a key is opened, a signature of it is verified with its public key. A key
/// counts as hardware-bound only if its token reports that it is hardware, made the key and never exported it;
/// otherwise it counts as protected by the operating system.
///
/// A process logs in once for all keys: one store that has the PIN opens the token for the other stores of the process.
/// The store never tries a PIN again that the token rejected. A token may be removed and inserted again; in the
/// meantime calls throw ``KeyStoreError/Code/deviceUnavailable``.
///
/// An alias has one key, however many processes and machines make it at once: see <doc:Tokens>.
///
/// ## Specification
///
/// [PKCS #11 2.40](https://docs.oasis-open.org/pkcs11/pkcs11-base/v2.40/os/pkcs11-base-v2.40-os.html)
public final class PKCS11KeyStore: KeyStore {
    /// How many tested keys are remembered.
    private static let maximumTriedCount = 1024

    private let pool: PKCS11SessionPool
    private let maker: PKCS11KeyMaker
    /// Keys with a verified signature.
    private let tried = Mutex<Set<JWKThumbprint>>([])

    /// Selects a token and its PIN; loads nothing yet.
    ///
    /// - Parameters:
    ///   - module: The absolute path of the module, a library that is loaded into this process.
    ///   - token: Which token.
    ///   - pin: The source of its PIN.
    ///   - sessions: How many calls the token gets at once, 1 to 64; fewer if the token has fewer sessions.
    ///   - mayUseLastPINAttemptBeforeLockout: Whether to try the PIN if one more wrong PIN would lock the token.
    ///   - lockDirectory: The directory of the lock with which processes of this machine make keys, and open SoftHSM,
    ///     one at a time: a path whose last component is created with mode 0700, and must not be a link; `nil` for one of the user
    ///     below `/run/user` or `/tmp`. In `/tmp`, other users can take its name first, and no key can then be made.
    public convenience init(
        module: String,
        token: PKCS11TokenSelection,
        pin: PKCS11PIN,
        sessions: Int = 4,
        mayUseLastPINAttemptBeforeLockout: Bool = false,
        lockDirectory: String? = nil
    ) {
        self.init(
            PKCS11Token(
                modulePath: module,
                selection: token,
                login: PKCS11Login(pin, mayUseLastAttempt: mayUseLastPINAttemptBeforeLockout),
                lockDirectory: lockDirectory ?? PKCS11KeyMaker.standardLockDirectory()
            ),
            sessions: sessions,
            timeout: .seconds(30)
        )
    }

    /// Selects a token by its URI; loads nothing yet.
    ///
    /// - Parameters:
    ///   - uri: The token; with `module-path`, unless `module` is given. If it names a key, use that with
    ///     ``load(label:id:algorithm:)``.
    ///   - module: The absolute path of the module; overrides that of the URI.
    ///   - pin: The source of its PIN; overrides `pin-source` of the URI.
    ///   - sessions: How many calls the token gets at once, 1 to 64.
    ///   - lockDirectory: The directory of the lock; `nil` for one of the user, as above.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceUnavailable`` if neither names a module.
    public convenience init(
        _ uri: PKCS11URI,
        module: String? = nil,
        pin: PKCS11PIN? = nil,
        sessions: Int = 4,
        lockDirectory: String? = nil
    ) throws(KeyStoreError) {
        guard let module = module ?? uri.modulePath else {
            throw KeyStoreError(.deviceUnavailable, "nothing names the PKCS #11 module: add ?module-path= to the URI")
        }
        self.init(
            module: module,
            token: uri.token,
            pin: pin ?? uri.pinFile.map { .file($0) } ?? .none,
            sessions: sessions,
            lockDirectory: lockDirectory
        )
    }

    init(
        _ token: PKCS11Token,
        sessions: Int,
        timeout: Duration,
        clock: any MonotonicClock = SystemMonotonicClock()
    ) {
        pool = PKCS11SessionPool(token, maximumCount: min(max(sessions, 1), 64), clock: clock)
        maker = PKCS11KeyMaker(lockDirectory: token.lockDirectory, timeout: timeout)
    }

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The label of the key.
    ///   - algorithm: ES256, ES384, RS256 or PS256, if the token supports it. New RSA keys have 3072 bits, or 2048 if
    ///     the token supports no more.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``,
    ///   ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceLocked`` without a PIN,
    ///   ``KeyStoreError/Code/wrongPIN``, ``KeyStoreError/Code/pinLocked``, ``KeyStoreError/Code/userCanceled``,
    ///   ``KeyStoreError/Code/keyLost`` if only the public key exists, ``KeyStoreError/Code/deviceFailed``,
    ///   ``KeyStoreError/Code/invalidSecret`` for an invalid PIN, ``KeyStoreError/Code/insecurePermissions``,
    ///   ``KeyStoreError/Code/storageFailed`` for the files of PIN and lock.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        guard let wanted = PKCS11Algorithm(algorithm) else {
            throw KeyStoreError(.unsupportedAlgorithm, "keys in tokens sign with ES256, ES384, RS256 or PS256")
        }
        let (key, isNew) = try await pool.run { [self] session throws(KeyStoreError) in
            let found = try maker.loadOrGenerate(alias, wanted, pool.token, in: session)
            return (try opened(found.key, in: session), found.isNew)
        }
        guard key.algorithm == wanted else {
            throw KeyStoreError(
                .unsupportedAlgorithm,
                "the stored key signs with \(key.algorithm.name): use that, or delete the key and make a new one"
            )
        }
        let signingKey = PKCS11SigningKey(key, pool)
        if isNew { report(.made(signingKey, alias)) }
        return signingKey
    }

    /// Opens the key of an alias.
    ///
    /// An RSA key that was not made here signs with RS256.
    ///
    /// - Parameter alias: The label of the key.
    /// - Returns: The key; `nil` if the token is present and has no key with the alias.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await load(label: alias.text, id: nil)
    }

    /// Opens a key that another program made, such as `pkcs11-tool` or `ykman`, whatever its label.
    ///
    /// - Parameters:
    ///   - label: Its label (`CKA_LABEL`); `nil` for any.
    ///   - id: Its identifier (`CKA_ID`); `nil` for any.
    ///   - algorithm: RS256 or PS256 for an RSA key that was not made here; `nil` means RS256.
    /// - Returns: The key; `nil` if the token is present and has no such key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``;
    ///   ``KeyStoreError/Code/invalidAlias`` with neither label nor identifier.
    public func load(
        label: String?,
        id: [UInt8]?,
        algorithm: SignatureAlgorithm? = nil
    ) async throws(KeyStoreError) -> (any SigningKey)? {
        guard label != nil || id != nil else {
            throw KeyStoreError(.invalidAlias, "a key in a token is named by its label or its identifier")
        }
        let name = PKCS11Key.Name(label: label.map { Array($0.utf8) }, id: id)
        return try await key(name, algorithm).map { PKCS11SigningKey($0, pool) }
    }

    /// The labels of all private keys that are valid aliases.
    ///
    /// - Returns: The aliases in ascending order; does not check whether each key can be opened.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await pool.run { session throws(KeyStoreError) in
            var aliases: Set<KeyAlias> = []
            for handle in try session.privateKeys() {
                guard let label = try session.label(of: handle) else { continue }
                if let alias = try? KeyAlias(String(decoding: label, as: UTF8.self)) { aliases.insert(alias) }
            }
            return aliases.sorted()
        }
    }

    /// Deletes the private and the public key of an alias from the token, if it has one; open keys can no longer sign.
    ///
    /// - Parameter alias: The label of the key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``; also
    ///   ``KeyStoreError/Code/deviceFailed`` if several keys have the label; none is then deleted.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await pool.run { [maker, token = pool.token] session throws(KeyStoreError) in
            try maker.delete(alias, token, in: session)
        }
    }

    /// What the token reports about itself and the key.
    ///
    /// - Parameter alias: The label of the key.
    /// - Returns: The facts; `nil` if the token is present and has no key with the alias.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await key(PKCS11Key.Name(label: Array(alias.text.utf8)), nil) else { return nil }
        let facts = try await pool.run { [path = pool.token.modulePath] session throws(KeyStoreError) in
            try session.facts(about: key, modulePath: path)
        }
        return KeyFact.common(PKCS11SigningKey(key, pool)) + facts
    }

    /// Whether the token says that it made the key of an alias, keeps it secret, and never let it out (`CKA_LOCAL`,
    /// `CKA_SENSITIVE`, `CKA_ALWAYS_SENSITIVE`, `CKA_NEVER_EXTRACTABLE`).
    ///
    /// Only who opens the token can ask, and a token in software, such as SoftHSM, says so too: the protection tells
    /// them apart. The alias may come from a stranger: a key with another public half than the expected one signs
    /// nothing, not even the test message with which a key is opened.
    ///
    /// - Parameters:
    ///   - alias: The label of the key.
    ///   - expected: The public half that the key must have. Compare it with the one that is returned.
    /// - Returns: The public half of the key with the alias, how the key is protected, and whether the token says all of
    ///   this; `nil` if it has no key with the alias. Only the expected key was tested.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func origin(
        of alias: KeyAlias,
        expecting expected: JWK
    ) async throws(KeyStoreError) -> (publicKey: JWK, protection: KeyProtection, neverLeft: Bool)? {
        let name = PKCS11Key.Name(label: Array(alias.text.utf8))
        let found = try await pool.run { [self] session throws(KeyStoreError) -> PKCS11Key? in
            guard let key = try session.keyOrLoss(name, wanted: nil) else { return nil }
            guard key.publicKey.thumbprint == expected.thumbprint else { return key }
            return try opened(key, in: session)
        }
        return found.map { (publicKey: $0.publicKey, protection: $0.protection, neverLeft: $0.flags.neverLeft) }
    }

    /// The alias of a key, found by its public half: no key of the token signs anything for it.
    ///
    /// - Parameter key: The public half.
    /// - Returns: The label of the key; `nil` if the token does not have it, or its label is not a valid alias.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    package func alias(of key: JWK) async throws(KeyStoreError) -> KeyAlias? {
        try await pool.run { session throws(KeyStoreError) in try session.alias(of: key) }
    }

    private func key(
        _ name: PKCS11Key.Name,
        _ algorithm: SignatureAlgorithm?
    ) async throws(KeyStoreError) -> PKCS11Key? {
        try await pool.run { [self] session throws(KeyStoreError) in
            guard let key = try session.keyOrLoss(name, wanted: algorithm) else { return nil }
            return try opened(key, in: session)
        }
    }

    /// A tested key, which can be returned.
    private func opened(_ key: PKCS11Key, in session: PKCS11Session) throws(KeyStoreError) -> PKCS11Key {
        let thumbprint = key.publicKey.thumbprint
        if tried.withLock({ $0.contains(thumbprint) }) { return key }
        try session.verify(key, pool.token.login)
        tried.withLock { tried in
            if tried.count >= Self.maximumTriedCount { tried.removeAll() }
            tried.insert(thumbprint)
        }
        return key
    }
}
#endif
