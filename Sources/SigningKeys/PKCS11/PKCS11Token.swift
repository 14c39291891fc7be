// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Synchronization

/// One token of one module, and how to log in to it.
final class PKCS11Token: Sendable {
    /// How long a process waits before it opens a token beside others.
    private static let patience = Duration.seconds(5)

    let modulePath: String
    let selection: PKCS11TokenSelection
    let login: PKCS11Login
    /// Where processes of this machine wait for each other.
    let lockDirectory: String
    /// Counts how often all sessions were lost: a token that was taken out ends those of all threads, and the numbers of old
    /// sessions may be given to new ones.
    private let lives = Atomic<Int>(0)

    init(modulePath: String, selection: PKCS11TokenSelection, login: PKCS11Login, lockDirectory: String) {
        (self.modulePath, self.selection, self.login) = (modulePath, selection, login)
        self.lockDirectory = lockDirectory
    }

    var life: Int { lives.load(ordering: .acquiring) }

    /// Notes that the sessions of a life are over.
    func endLife(_ life: Int) {
        _ = lives.compareExchange(expected: life, desired: life + 1, ordering: .acquiringAndReleasing)
    }

    /// A session of a process that has logged in.
    func openSession() throws(KeyStoreError) -> PKCS11Session {
        // SoftHSM leaves out a token for good that another process logs in to while it is first read, and two logins at once
        // can spoil it for both. It opens without the lock too, when that cannot be had.
        var lock = try? KeyDirectory(creatingAt: lockDirectory).lock(patience: Self.patience)
        let module = try PKCS11Module.at(modulePath)
        // Others of this process may have finalized it; it is no error when they have not.
        try module.initialize()
        // Others have no such flaw, and may wait for a person who enters a PIN.
        if !module.isSoftHSM { lock = nil }
        defer { withExtendedLifetime(lock) {} }
        let session = try PKCS11Session(module, slot: module.slot(of: selection))
        try login.logIn(session)
        return session
    }
}
#endif
