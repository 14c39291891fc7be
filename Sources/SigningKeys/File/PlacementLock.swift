// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock that the processes of an app group share; the system lets go of it when its process ends, however that happens.
///
/// It belongs to the open file, so that two locks of one process keep each other out too.
final class PlacementLock: Sendable {
    private let descriptor: CInt

    /// Takes the lock of a directory, which is made with mode 0700, or gives `nil` when somebody else has it.
    init?(in directory: String) throws(KeyStoreError) {
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw Self.failure("make the directory of the lock", errno)
        }
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe open(directory + "/key-placements.lock", flags, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open the lock of the records", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            if number == EWOULDBLOCK || number == EINTR { return nil }
            throw Self.failure("lock the records", number)
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    private static func failure(_ attempt: String, _ number: CInt) -> KeyStoreError {
        KeyStoreError(.storageFailed, "cannot \(attempt) (errno \(number))")
    }
}
#endif
