// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import OAuthSystem

/// The directory of a key store: only its owner can read the files, and each is created atomically.
///
/// Every call may block: do not call it on the cooperative thread pool.
struct KeyDirectory {
    private static let temporaryPrefix = ".new-"
    static let lockName = ".lock"
    /// The permissions that group and others must not have: all of them.
    private static let sharedBits: mode_t = 0o077
    /// Microseconds between two attempts to get the lock.
    private static let lockPause: useconds_t = 5000

    private let descriptor: FileDescriptor
    let path: String

    /// Opens the directory, or creates it (not its parents) if it does not exist.
    init(creatingAt path: String) throws(KeyStoreError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw FileDescriptor.failure("make the key directory \(path)")
        }
        guard let directory = try KeyDirectory(at: path) else {
            throw FileDescriptor.failure("open the key directory \(path)")
        }
        self = directory
    }

    /// Opens the directory; `nil` if it does not exist.
    init?(at path: String) throws(KeyStoreError) {
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number < 0, errno == ENOENT { return nil }
        guard number >= 0 else { throw FileDescriptor.failure("open the key directory \(path)") }
        descriptor = FileDescriptor(number)
        self.path = path
        let status = try descriptor.status()
        guard status.st_uid == geteuid() else {
            throw KeyStoreError(.insecurePermissions, "the key directory \(path) belongs to another user")
        }
        guard status.st_mode & Self.sharedBits == 0 else {
            throw KeyStoreError(
                .insecurePermissions,
                "the key directory \(path) is open to others: run chmod 700 on it, if only you should have these keys"
            )
        }
    }

    /// The contents of a file; `nil` if it does not exist.
    func read(_ name: String, maximumCount: Int) throws(KeyStoreError) -> [UInt8]? {
        // A pipe with this name must not block, and a link must not be followed.
        let number = unsafe openat(descriptor.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if number < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw KeyFileObject.malformed("it is a symbolic link")
            default: throw FileDescriptor.failure("open the key file \(path)/\(name)")
            }
        }
        let file = FileDescriptor(number)
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG else { throw KeyFileObject.malformed("it is not a regular file") }
        guard status.st_uid == geteuid() else {
            throw KeyStoreError(.insecurePermissions, "the key file \(path)/\(name) belongs to another user")
        }
        guard status.st_mode & Self.sharedBits == 0 else {
            throw KeyStoreError(
                .insecurePermissions,
                """
                the key file \(path)/\(name) is open to others: if no other user can have read it, run chmod 600 on it; \
                otherwise delete the key and sign in again
                """
            )
        }
        guard let bytes = try file.readAll(maximumCount: maximumCount) else {
            throw KeyFileObject.malformed("it is too long")
        }
        return bytes
    }

    /// Creates a file atomically with its complete contents, on the disk.
    ///
    /// - Returns: `false` if a file with that name exists, which does not change.
    func publish(_ bytes: [UInt8], as name: String) throws(KeyStoreError) -> Bool {
        let temporary =
            Self.temporaryPrefix + SystemRandom.bytes(8).map { String($0, radix: 16) }.joined(separator: "-")
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(descriptor.number, temporary, flags, 0o600)
        guard number >= 0 else { throw FileDescriptor.failure("make a file in the key directory \(path)") }
        let file = FileDescriptor(number)
        defer { unsafe unlinkat(descriptor.number, temporary, 0) }
        try file.writeAll(bytes)
        try file.synchronize()
        // Unlike a rename, a link never replaces an existing file.
        guard unsafe linkat(descriptor.number, temporary, descriptor.number, name, 0) == 0 else {
            if errno == EEXIST { return false }
            throw FileDescriptor.failure("name a new key file in \(path)")
        }
        try descriptor.synchronize()
        return true
    }

    func remove(_ name: String) throws(KeyStoreError) {
        if unsafe unlinkat(descriptor.number, name, 0) != 0, errno != ENOENT {
            throw FileDescriptor.failure("delete the key file \(path)/\(name)")
        }
        try descriptor.synchronize()
    }

    /// Removes the files of writers that were interrupted; only under the lock, when no other process writes.
    func removeLeftovers() throws(KeyStoreError) {
        for name in try names() where name.hasPrefix(Self.temporaryPrefix) {
            unsafe unlinkat(descriptor.number, name, 0)
        }
    }

    /// The names of all files, unordered.
    func names() throws(KeyStoreError) -> [String] {
        let number = unsafe openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0, let stream = unsafe fdopendir(number) else {
            throw FileDescriptor.failure("list the key directory \(path)")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                    unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
                }
            )
        }
        return names
    }

    /// The keys that have a file with this suffix, in ascending order.
    func aliases(withSuffix suffix: String) throws(KeyStoreError) -> [KeyAlias] {
        try names()
            .compactMap { $0.hasSuffix(suffix) ? try? KeyAlias(String($0.dropLast(suffix.count))) : nil }
            .sorted()
    }

    /// Runs a function while no other process or store changes the directory.
    func withLock<Result>(
        timeout: Duration,
        _ body: () throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        let lock = try lock(timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Waits for a lock, which is held as long as the returned value exists.
    ///
    /// The lock belongs to the open file: it also excludes another store of the same process, and ends with the
    /// process.
    func lock(_ name: String = lockName, timeout: Duration) throws(KeyStoreError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(descriptor.number, name, flags, 0o600)
        guard number >= 0 else { throw FileDescriptor.failure("open the lock of the key directory \(path)") }
        let file = FileDescriptor(number)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw FileDescriptor.failure("lock the key directory \(path)")
            }
            guard ContinuousClock.now < deadline else {
                throw KeyStoreError(
                    .storageFailed,
                    "another process holds the lock of the key directory \(path): end it, then try again"
                )
            }
            usleep(Self.lockPause)
        }
        return file
    }
}
#endif
