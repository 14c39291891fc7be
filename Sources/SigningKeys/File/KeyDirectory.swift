// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import OAuthSystem

/// The directory of a key store: only its owner can read the files, and each is created atomically.
///
/// Every call may block: do not call it on the cooperative thread pool.
struct KeyDirectory {
    /// How the names of incomplete files begin.
    ///
    /// A store with a lock of its own has a prefix of its own: it removes only what writers under its lock left behind.
    static let temporaryPrefix = ".new-"
    static let lockName = ".lock"
    /// Microseconds between two attempts to get the lock.
    private static let lockPause: useconds_t = 5000

    private let descriptor: FileDescriptor
    let path: String

    /// Opens the directory, or creates it (not its parents) if it does not exist.
    init(creatingAt path: String, followsLink: Bool = true) throws(KeyStoreError) {
        try KeyStoreError.wrapping { () throws(FileError) in try PrivateDirectory.make(at: path) }
        guard let directory = try KeyDirectory(at: path, followsLink: followsLink) else {
            throw KeyStoreError(.system("open the key directory \(path)"))
        }
        self = directory
    }

    /// Opens the directory of a lock, in a place where other users may have made a link with its name.
    ///
    /// Such a link could lead to any directory of this user, and the lock would change files in it.
    static func ofLock(at path: String) throws(KeyStoreError) -> KeyDirectory {
        try KeyDirectory(creatingAt: path, followsLink: false)
    }

    /// Opens the directory; `nil` if it does not exist.
    init?(at path: String, followsLink: Bool = true) throws(KeyStoreError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let number = unsafe open(path, followsLink ? flags : flags | O_NOFOLLOW)
        if number < 0, errno == ENOENT { return nil }
        if number < 0, !followsLink, errno == ENOTDIR || errno == ELOOP {
            throw KeyStoreError(
                .insecurePermissions,
                "\(path) is a link or a file, and must be a directory: remove it if you did not make it"
            )
        }
        guard number >= 0 else { throw KeyStoreError(.system("open the key directory \(path)")) }
        descriptor = FileDescriptor(number, "the key directory \(path)")
        self.path = path
        let status = try Self.status(of: descriptor)
        guard status.st_uid == geteuid() else {
            throw KeyStoreError(.insecurePermissions, "the key directory \(path) belongs to another user")
        }
        guard !PrivateDirectory.isShared(status) else {
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
            default: throw KeyStoreError(.system("open the key file \(path)/\(name)"))
            }
        }
        let file = FileDescriptor(number, "the key file \(path)/\(name)")
        let status = try Self.status(of: file)
        guard status.st_mode & S_IFMT == S_IFREG else { throw KeyFileObject.malformed("it is not a regular file") }
        guard status.st_uid == geteuid() else {
            throw KeyStoreError(.insecurePermissions, "the key file \(path)/\(name) belongs to another user")
        }
        guard !PrivateDirectory.isShared(status) else {
            throw KeyStoreError(
                .insecurePermissions,
                """
                the key file \(path)/\(name) is open to others: if no other user can have read it, run chmod 600 on it; \
                otherwise delete the key and sign in again
                """
            )
        }
        let bytes = try KeyStoreError.wrapping { () throws(FileError) in
            try file.readAll(maximumCount: maximumCount)
        }
        guard let bytes else { throw KeyFileObject.malformed("it is too long") }
        return bytes
    }

    /// Creates a file atomically with its complete contents, on the disk.
    ///
    /// - Returns: `false` if a file with that name exists, which does not change.
    func publish(
        _ bytes: [UInt8],
        as name: String,
        temporaryPrefix: String = Self.temporaryPrefix
    ) throws(KeyStoreError) -> Bool {
        let temporary = temporaryPrefix + SystemRandom.bytes(8).map { String($0, radix: 16) }.joined(separator: "-")
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(descriptor.number, temporary, flags, 0o600)
        guard number >= 0 else { throw KeyStoreError(.system("make a file in the key directory \(path)")) }
        let file = FileDescriptor(number, "a key file")
        var hasTemporaryName = true
        defer { if hasTemporaryName { unsafe unlinkat(descriptor.number, temporary, 0) } }
        try KeyStoreError.wrapping { () throws(FileError) in
            try file.writeAll(bytes)
            try file.synchronize()
        }
        // Unlike a rename, a link never replaces an existing file.
        guard unsafe linkat(descriptor.number, temporary, descriptor.number, name, 0) == 0 else {
            if errno == EEXIST { return false }
            throw KeyStoreError(.system("name a new key file in \(path)"))
        }
        // Before the names are on the disk: after a power cut, a key would keep this name when it is deleted.
        hasTemporaryName = unsafe unlinkat(descriptor.number, temporary, 0) != 0
        try synchronize()
        return true
    }

    func remove(_ name: String) throws(KeyStoreError) {
        if unsafe unlinkat(descriptor.number, name, 0) != 0, errno != ENOENT {
            throw KeyStoreError(.system("delete the key file \(path)/\(name)"))
        }
        try synchronize()
    }

    /// Removes the files of writers that were interrupted; only under the lock, when no other process writes.
    func removeLeftovers(temporaryPrefix: String = Self.temporaryPrefix) throws(KeyStoreError) {
        let leftovers = try names().filter { $0.hasPrefix(temporaryPrefix) }
        guard !leftovers.isEmpty else { return }
        for name in leftovers { unsafe unlinkat(descriptor.number, name, 0) }
        try synchronize()
    }

    private static func status(of file: FileDescriptor) throws(KeyStoreError) -> stat {
        try KeyStoreError.wrapping { () throws(FileError) in try file.status() }
    }

    /// Waits until the names are on the disk.
    private func synchronize() throws(KeyStoreError) {
        try KeyStoreError.wrapping { () throws(FileError) in try descriptor.synchronize() }
    }

    /// The names of all files, unordered; a directory that cannot be read to its end is an error.
    func names() throws(KeyStoreError) -> [String] {
        let number = unsafe openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw KeyStoreError(.system("list the key directory \(path)")) }
        guard let stream = unsafe fdopendir(number) else {
            let error = KeyStoreError(.system("list the key directory \(path)"))
            close(number)
            throw error
        }
        defer { unsafe closedir(stream) }
        let names = DirectoryNames.collect {
            guard let entry = unsafe readdir(stream) else { return nil }
            return unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
        }
        guard let names else { throw KeyStoreError(.system("list the key directory \(path)")) }
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
        guard number >= 0 else { throw KeyStoreError(.system("open the lock of the key directory \(path)")) }
        let file = FileDescriptor(number, "the lock of the key directory \(path)")
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw KeyStoreError(.system("lock the key directory \(path)"))
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
