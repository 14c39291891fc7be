// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Glibc
import JOSE
import OAuthSystem

/// Makes and deletes keys in a token, and ensures that an alias has one key, however many processes make it at once.
///
/// PKCS #11 has no unique names. Processes that share a directory use a lock. To be safe from others, for example on
/// other machines, a new key starts as a candidate with another label. A process that then sees neither a key of the
/// alias nor another candidate renames its own; otherwise it deletes its own. Two processes cannot both see nothing,
/// because each looks after its own candidate exists. This holds for tokens that show a completed change to all
/// sessions.
struct PKCS11KeyMaker: Sendable {
    /// No alias contains this character, so a candidate is never taken for a key.
    private static let candidateSuffix = "~new"
    private static let domainName = "domain"
    private static let domainCount = 8
    /// The timeout until a token shows both the private and the public key.
    private static let patienceForHalves = Duration.seconds(2)

    let lockDirectory: String
    /// The timeout for other processes.
    let timeout: Duration

    /// The identifier of a new key: its algorithm, its maker, and random bytes.
    private static func newID(_ algorithm: PKCS11Algorithm, domain: [UInt8]) -> [UInt8] {
        prefix(algorithm) + domain + SystemRandom.bytes(12)
    }

    private static func prefix(_ algorithm: PKCS11Algorithm) -> [UInt8] { Array("\(algorithm.name):".utf8) }

    /// The algorithm of a key made here, from its identifier: an RSA key does not report it otherwise.
    static func algorithm(ofID id: [UInt8]) -> SignatureAlgorithm? {
        PKCS11Algorithm.allCases.first { id.starts(with: prefix($0)) }?.name
    }

    func loadOrGenerate(
        _ alias: KeyAlias,
        _ algorithm: PKCS11Algorithm,
        _ token: PKCS11Token,
        in session: PKCS11Session
    ) throws(KeyStoreError) -> (key: PKCS11Key, isNew: Bool) {
        let name = PKCS11Key.Name(label: Array(alias.text.utf8))
        do throws(KeyStoreError) {
            if let key = try session.key(name, wanted: algorithm.name) { return (key, false) }
        } catch {
            guard error.isHiddenHalf else { throw error }
        }
        return try withWritableSession(session, token) { writable, domain throws(KeyStoreError) in
            try removeLeftovers(of: alias, domain, in: writable)
            let start = ContinuousClock.now
            var longestPause: UInt32 = 8000
            while true {
                do throws(KeyStoreError) {
                    if let key = try writable.keyOrLoss(name, wanted: algorithm.name) { return (key, false) }
                    if let key = try make(alias, algorithm, domain, token, in: writable) { return (key, true) }
                    guard ContinuousClock.now - start < timeout else { throw Self.strangersCandidate(alias) }
                } catch {
                    guard error.isHiddenHalf, ContinuousClock.now - start < min(timeout, Self.patienceForHalves) else {
                        throw error
                    }
                }
                // Random, and longer each time, so that one of two processes comes first.
                usleep(useconds_t(longestPause * UInt32(SystemRandom.bytes(1)[0]) / 256))
                longestPause = min(2 * longestPause, 1_000_000)
            }
        }
    }

    private static func strangersCandidate(_ alias: KeyAlias) -> KeyStoreError {
        KeyStoreError(
            .deviceFailed,
            """
            another machine makes a key of that name, or ended in the middle: if none does, delete the key labelled \
            \(alias)\(candidateSuffix) from the token
            """
        )
    }

    /// Deletes the private and the public key of an alias.
    func delete(_ alias: KeyAlias, _ token: PKCS11Token, in session: PKCS11Session) throws(KeyStoreError) {
        try withWritableSession(session, token) { writable, _ throws(KeyStoreError) in
            let name = PKCS11Key.Name(label: Array(alias.text.utf8))
            let found = try writable.privateKeys(name)
            guard found.count <= 1 else {
                throw KeyStoreError(.deviceFailed, "\(found.count) keys of the token have that name: none was deleted")
            }
            try Self.destroy(found, in: writable)
            for half in try writable.objects(name.template(CKO_PUBLIC_KEY)) { try writable.destroy(half) }
        }
    }

    /// A new, tested key; `nil` if another process makes one at the same time.
    private func make(
        _ alias: KeyAlias,
        _ algorithm: PKCS11Algorithm,
        _ domain: [UInt8],
        _ token: PKCS11Token,
        in session: PKCS11Session
    ) throws(KeyStoreError) -> PKCS11Key? {
        let candidate = PKCS11Key.Name(label: Array((alias.text + Self.candidateSuffix).utf8))
        let name = PKCS11Key.Name(label: Array(alias.text.utf8))
        let id = Self.newID(algorithm, domain: domain)
        let pair = try session.generateKeyPair(algorithm, label: candidate.label ?? [], id: id)
        var hasName = false
        defer {
            // A candidate that cannot be deleted now is left for the next process that takes the lock.
            if !hasName { for half in [pair.privateKey, pair.publicKey] { try? session.destroy(half) } }
        }
        let key = try session.describe(pair.privateKey, wanted: algorithm.name)
        guard key.flags.isSensitive == true, key.flags.isExtractable == false, key.algorithm == algorithm else {
            throw PKCS11Module.lie("the new key is not kept as was demanded")
        }
        try session.verify(key, token.login)
        // Candidates first: one that is renamed between the two searches is then seen under its alias.
        let candidates = try session.objects(candidate.template(CKO_PRIVATE_KEY))
        let named = try session.objects(name.template(CKO_PRIVATE_KEY))
        guard candidates.count == 1, named.isEmpty else { return nil }
        try session.setLabel(name.label ?? [], of: pair.privateKey)
        hasName = true
        try session.setLabel(name.label ?? [], of: pair.publicKey)
        return try session.describe(pair.privateKey, wanted: algorithm.name)
    }

    /// Deletes the candidates of interrupted processes that held this lock.
    private func removeLeftovers(
        of alias: KeyAlias,
        _ domain: [UInt8],
        in session: PKCS11Session
    ) throws(KeyStoreError) {
        let candidate = PKCS11Key.Name(label: Array((alias.text + Self.candidateSuffix).utf8))
        for handle in try session.objects(candidate.template(CKO_PRIVATE_KEY)) {
            let id: [UInt8]
            do throws(KeyStoreError) {
                id = try session.attribute(CKA_ID, of: handle, maximumCount: 1024) ?? []
            } catch {
                // The candidate of an unrelated process that has just given up.
                guard error.status?.isLostObject == true else { throw error }
                continue
            }
            guard PKCS11Algorithm.allCases.contains(where: { id.starts(with: Self.prefix($0) + domain) }) else {
                continue
            }
            try Self.destroy([handle], in: session)
        }
    }

    /// The private key first: what an interrupted deletion leaves cannot sign.
    private static func destroy(
        _ privateKeys: [CK_OBJECT_HANDLE],
        in session: PKCS11Session
    ) throws(KeyStoreError) {
        for handle in privateKeys {
            let id = try session.attribute(CKA_ID, of: handle, maximumCount: 1024) ?? []
            try session.destroy(handle)
            guard !id.isEmpty else { continue }
            for half in try session.objects(PKCS11Key.Name(id: id).template(CKO_PUBLIC_KEY)) {
                try session.destroy(half)
            }
        }
    }

    /// Runs a function with a session that can change the token, under the lock.
    private func withWritableSession<Result>(
        _ session: PKCS11Session,
        _ token: PKCS11Token,
        _ body: (PKCS11Session, _ domain: [UInt8]) throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        try withLock { domain throws(KeyStoreError) in
            let life = token.life
            let writable = try PKCS11Session(session.module, slot: session.slot, isWritable: true)
            // All sessions of a removed token end, and this one's number may then belong to a session of another thread.
            defer { if token.life != life { writable.isLost = true } }
            do throws(KeyStoreError) {
                return try body(writable, domain)
            } catch {
                if error.status?.isLostSession == true { writable.isLost = true }
                throw error
            }
        }
    }

    /// Runs a function while no other process with the same lock makes or deletes keys.
    ///
    /// The function gets a value that all processes with this lock share, and no others: it marks their candidates.
    private func withLock<Result>(
        _ body: ([UInt8]) throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        let directory = try KeyDirectory.ofLock(at: lockDirectory)
        return try directory.withLock(timeout: timeout) { () throws(KeyStoreError) in
            if try directory.read(Self.domainName, maximumCount: Self.domainCount)?.count != Self.domainCount {
                try directory.remove(Self.domainName)
                _ = try directory.publish(SystemRandom.bytes(Self.domainCount), as: Self.domainName)
            }
            guard let domain = try directory.read(Self.domainName, maximumCount: Self.domainCount) else {
                throw KeyStoreError(.storageFailed, "something deletes files of the lock directory \(lockDirectory)")
            }
            return try body(domain)
        }
    }

    /// The default directory of this user's lock; its contents do not survive a restart.
    static func standardLockDirectory() -> String {
        let user = geteuid()
        let runtime = "/run/user/\(user)"
        return unsafe access(runtime, W_OK) == 0 ? runtime + "/keybound-pkcs11" : "/tmp/keybound-pkcs11-\(user)"
    }
}
#endif
