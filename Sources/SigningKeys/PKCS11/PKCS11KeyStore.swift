// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import Synchronization

/// Keys in a token that a PKCS #11 module speaks to: a smart card, a security module, SoftHSM.
///
/// The name of a key is its label in the token. New keys sign only, and the token is told never to give them out; with ES256,
/// ES384, RS256 or PS256. Before a key is given out for the first time, a signature of it is checked with its public half. A
/// key says that it is bound to hardware only when its token says that it is hardware, made the key and never gave it out;
/// else that the operating system protects it.
///
/// A process logs in once, whatever it opens: who has the PIN opens the token for the other stores of the process. A PIN that
/// the token refused is never tried again by the store. A token may be taken out and put back; meanwhile calls end with
/// ``KeyStoreError/Code/deviceUnavailable``.
///
/// Of one name there is one key, however many processes and machines make it at once: see <doc:Tokens>.
///
/// ## Specification
///
/// [PKCS #11 2.40](https://docs.oasis-open.org/pkcs11/pkcs11-base/v2.40/os/pkcs11-base-v2.40-os.html)
public final class PKCS11KeyStore: KeyStore {
    /// How many keys are remembered to be tried.
    private static let maximumTriedCount = 1024

    private let pool: PKCS11SessionPool
    private let maker: PKCS11KeyMaker
    /// Keys of which a signature was checked.
    private let tried = Mutex<Set<JWKThumbprint>>([])

    /// Names a token and what opens it; nothing is loaded yet.
    ///
    /// - Parameters:
    ///   - module: The whole path of the module, a library that is loaded into this process.
    ///   - token: Which token.
    ///   - pin: Where its PIN comes from.
    ///   - sessions: How many calls the token gets at once, 1 to 64; fewer where the token has fewer sessions.
    ///   - mayUseLastPINAttemptBeforeLockout: Whether the PIN is tried when one more wrong one would lock the token.
    ///   - lockDirectory: Where processes of this machine wait for each other to make keys, and to open SoftHSM: a path
    ///     whose last component is made with mode 0700; `nil` for one of the user below `/run/user` or `/tmp`.
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
            patience: .seconds(30)
        )
    }

    /// Names a token by its URI; nothing is loaded yet.
    ///
    /// - Parameters:
    ///   - uri: The token; with `module-path`, unless `module` is given. A key that it names is for
    ///     ``load(label:id:algorithm:)``.
    ///   - module: The whole path of the module; goes before that of the URI.
    ///   - pin: Where its PIN comes from; goes before `pin-source` of the URI.
    ///   - sessions: How many calls the token gets at once, 1 to 64.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceUnavailable`` when neither names a module.
    public convenience init(
        _ uri: PKCS11URI,
        module: String? = nil,
        pin: PKCS11PIN? = nil,
        sessions: Int = 4
    ) throws(KeyStoreError) {
        guard let module = module ?? uri.modulePath else {
            throw KeyStoreError(.deviceUnavailable, "nothing names the PKCS #11 module: add ?module-path= to the URI")
        }
        self.init(
            module: module,
            token: uri.token,
            pin: pin ?? uri.pinFile.map { .file($0) } ?? .none,
            sessions: sessions
        )
    }

    init(_ token: PKCS11Token, sessions: Int, patience: Duration) {
        pool = PKCS11SessionPool(token, maximumCount: min(max(sessions, 1), 64))
        maker = PKCS11KeyMaker(lockDirectory: token.lockDirectory, patience: patience)
    }

    /// Opens the key of a name, or makes it, in one step, and says which.
    ///
    /// - Parameters:
    ///   - alias: The label of the key.
    ///   - algorithm: ES256, ES384, RS256 or PS256, as far as the token has it. New RSA keys have 3072 bits, or 2048 where
    ///     the token has no more.
    ///   - report: Told ``KeyEvent/Kind/made`` when this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/unsupportedAlgorithm``, ``KeyStoreError/Code/deviceUnavailable``,
    ///   ``KeyStoreError/Code/deviceLocked`` without a PIN, ``KeyStoreError/Code/wrongPIN``,
    ///   ``KeyStoreError/Code/pinLocked``, ``KeyStoreError/Code/userCanceled``, ``KeyStoreError/Code/keyLost`` when only
    ///   the public half is there, ``KeyStoreError/Code/deviceFailed``, ``KeyStoreError/Code/invalidSecret`` for what
    ///   cannot be a PIN, ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed`` for the files
    ///   of PIN and lock.
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

    /// Opens the key of a name.
    ///
    /// An RSA key that was not made here signs with RS256.
    ///
    /// - Parameter alias: The label of the key.
    /// - Returns: The key; `nil` when the token is there and has none of the name.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await load(label: alias.text, id: nil)
    }

    /// Opens a key that something else has made, `pkcs11-tool` or `ykman` for instance, whatever it is called.
    ///
    /// - Parameters:
    ///   - label: Its label (`CKA_LABEL`), if that matters.
    ///   - id: Its identifier (`CKA_ID`), if that matters.
    ///   - algorithm: RS256 or PS256 for an RSA key that was not made here; RS256 when `nil`.
    /// - Returns: The key; `nil` when the token is there and has no such key.
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

    /// The labels of all private keys that could be the name of a key here.
    ///
    /// - Returns: The names in ascending order; whether each key can be opened is not tried.
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

    /// Deletes both halves of the key of a name from the token, if it has one; keys that were opened sign no more.
    ///
    /// - Parameter alias: The label of the key.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``;
    ///   ``KeyStoreError/Code/deviceFailed`` too when several keys have the label, of which none is deleted.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await pool.run { [maker] session throws(KeyStoreError) in try maker.delete(alias, in: session) }
    }

    /// What the token says of itself and of the key.
    ///
    /// - Parameter alias: The label of the key.
    /// - Returns: The facts; `nil` when the token is there and has no key of the name.
    /// - Throws: ``KeyStoreError``, as ``loadOrGenerate(alias:algorithm:reporting:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await key(PKCS11Key.Name(label: Array(alias.text.utf8)), nil) else { return nil }
        let facts = try await pool.run { [path = pool.token.modulePath] session throws(KeyStoreError) in
            try session.facts(about: key, modulePath: path)
        }
        return KeyFact.common(PKCS11SigningKey(key, pool)) + facts
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

    /// A key that may be given out: one that was tried.
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
