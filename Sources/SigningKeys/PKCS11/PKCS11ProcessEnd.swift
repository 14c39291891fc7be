// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// Keeps calls of modules away from the end of the process, when modules take themselves apart while other threads run.
enum PKCS11ProcessEnd {
    private static let calls = Atomic<Int>(0)
    private static let hasBegun = Atomic<Bool>(false)
    /// Milliseconds that calls have to come to their ends: someone may still be asked for a PIN.
    private static let patience = 2000

    /// Watches the end of the process; after a module was loaded, so that this comes before the module's own end.
    static func watch() {
        atexit {
            PKCS11ProcessEnd.hasBegun.store(true, ordering: .sequentiallyConsistent)
            for _ in 0..<PKCS11ProcessEnd.patience {
                guard PKCS11ProcessEnd.calls.load(ordering: .sequentiallyConsistent) > 0 else { return }
                usleep(1000)
            }
        }
    }

    /// Begins calls of a module; false when it is too late for that.
    static func enter() -> Bool {
        calls.add(1, ordering: .sequentiallyConsistent)
        guard hasBegun.load(ordering: .sequentiallyConsistent) else { return true }
        leave()
        return false
    }

    /// Ends calls of a module.
    static func leave() {
        calls.subtract(1, ordering: .sequentiallyConsistent)
    }
}
#endif
