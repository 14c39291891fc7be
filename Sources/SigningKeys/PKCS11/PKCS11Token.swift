// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Synchronization

/// One token of one module, and its login.
final class PKCS11Token: Sendable {
    /// The timeout before a process opens a token together with others.
    private static let timeout = Duration.seconds(5)

    let modulePath: String
    let selection: PKCS11TokenSelection
    let login: PKCS11Login
    /// The directory of the lock between processes of this machine.
    let lockDirectory: String
    /// Counts how often all sessions were lost.
    ///
    /// A token that is removed ends the sessions of all threads, and new sessions may get the numbers of old ones.
    private let lives = Atomic<Int>(0)

    init(modulePath: String, selection: PKCS11TokenSelection, login: PKCS11Login, lockDirectory: String) {
        (self.modulePath, self.selection, self.login) = (modulePath, selection, login)
        self.lockDirectory = lockDirectory
    }

    var life: Int { lives.load(ordering: .acquiring) }

    /// Records that the sessions of one insertion have ended.
    func endLife(_ life: Int) {
        _ = lives.compareExchange(expected: life, desired: life + 1, ordering: .acquiringAndReleasing)
    }

    /// A session of a logged-in process.
    func openSession() throws(KeyStoreError) -> PKCS11Session {
        // While SoftHSM first reads a token, a login of another process makes it skip that token permanently, and two
        // logins at once can break it for both. If the lock is not available, this opens the token without it.
        var lock = try? KeyDirectory.ofLock(at: lockDirectory).lock(timeout: Self.timeout)
        let module = try PKCS11Module.at(modulePath)
        // Other code of the process may have finalized it; if not, this is not an error.
        try module.initialize()
        // Other modules do not have this fault, and may wait for a user who enters a PIN.
        if !module.isSoftHSM { lock = nil }
        defer { withExtendedLifetime(lock) {} }
        let session = try PKCS11Session(module, slot: module.slot(of: selection))
        try login.logIn(session)
        return session
    }
}
#endif
