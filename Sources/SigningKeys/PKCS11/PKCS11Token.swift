// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Synchronization

/// One token of one module, and how to log in to it.
final class PKCS11Token: Sendable {
    let modulePath: String
    let selection: PKCS11TokenSelection
    let login: PKCS11Login
    /// Counts how often all sessions were lost: a token that was taken out ends those of all threads, and the numbers of old
    /// sessions may be given to new ones.
    private let lives = Atomic<Int>(0)

    init(modulePath: String, selection: PKCS11TokenSelection, login: PKCS11Login) {
        (self.modulePath, self.selection, self.login) = (modulePath, selection, login)
    }

    var life: Int { lives.load(ordering: .acquiring) }

    /// Notes that the sessions of a life are over.
    func endLife(_ life: Int) {
        _ = lives.compareExchange(expected: life, desired: life + 1, ordering: .acquiringAndReleasing)
    }

    /// A session of a process that has logged in.
    func openSession() throws(KeyStoreError) -> PKCS11Session {
        let module = try PKCS11Module.at(modulePath)
        // Others of this process may have finalized it; it is no error when they have not.
        try module.initialize()
        let session = try PKCS11Session(module, slot: module.slot(of: selection))
        try login.logIn(session)
        return session
    }
}
#endif
