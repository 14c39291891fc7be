// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// Prevents module calls at the end of the process, when modules destroy their state while other threads run.
package enum PKCS11ProcessEnd {
    private static let calls = Atomic<Int>(0)
    private static let hasBegun = Atomic<Bool>(false)
    /// The timeout in milliseconds for running calls: one may still ask a user for a PIN.
    private static let timeout = 2000

    /// Registers an exit handler; call it after loading a module, so that it runs before the module's own.
    static func watch() {
        atexit { PKCS11ProcessEnd.begin() }
    }

    /// Lets no more module calls begin, and waits up to two seconds for the running ones.
    ///
    /// For a program that ends without exit handlers.
    package static func begin() {
        hasBegun.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<timeout {
            guard calls.load(ordering: .sequentiallyConsistent) > 0 else { return }
            usleep(1000)
        }
    }

    /// Begins a module call; `false` if it is too late.
    static func enter() -> Bool {
        calls.add(1, ordering: .sequentiallyConsistent)
        guard hasBegun.load(ordering: .sequentiallyConsistent) else { return true }
        leave()
        return false
    }

    /// Ends a module call.
    static func leave() {
        calls.subtract(1, ordering: .sequentiallyConsistent)
    }
}
#endif
