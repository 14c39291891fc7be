// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// A user of the system, who gets files, and as whom this process can go on.
struct SystemUser: Sendable, Equatable {
    let name: String
    let userID: UInt32
    let groupID: UInt32

    /// Whether this process may give files away and change its user.
    static var isRoot: Bool { geteuid() == 0 }

    /// Looks a user up; `nil` if there is none of this name.
    init?(named name: String) {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        self.name = name
        unsafe userID = entry.pw_uid
        unsafe groupID = entry.pw_gid
    }

    /// What prevents the user from reading a file: the file, or a directory above it; `nil` if nothing does.
    ///
    /// A missing file or directory prevents nothing. Access control lists are ignored.
    func obstacle(toReading file: String) -> String? {
        let groups = self.groups
        for directory in FileHindrance.directories(above: file) {
            guard let status = Self.status(of: directory) else { return nil }
            guard may(0o1, status, groups) else { return directory }
        }
        guard let status = Self.status(of: file) else { return nil }
        return may(0o4, status, groups) ? nil : file
    }

    private func may(_ right: mode_t, _ status: stat, _ groups: [gid_t]) -> Bool {
        // Root may read whatever the mode is.
        guard userID != 0 else { return true }
        if status.st_uid == userID { return status.st_mode & (right << 6) != 0 }
        return status.st_mode & (groups.contains(status.st_gid) ? right << 3 : right) != 0
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// The groups of the user, 64 at most.
    private var groups: [gid_t] {
        var count: CInt = 64
        var groups = [gid_t](repeating: groupID, count: Int(count))
        _ = unsafe getgrouplist(name, groupID, &groups, &count)
        return Array(groups.prefix(Int(max(0, count))))
    }

    /// Gives up the rights of root for those of the user, in all threads and for good.
    func become() throws {
        var groups = [gid_t(groupID)]
        // In this order: without the rights of root, the groups could not be changed any more.
        guard unsafe setgroups(1, &groups) == 0, setgid(groupID) == 0, setuid(userID) == 0 else {
            throw SystemFailure.failure("cannot switch to the user \(name)")
        }
    }

    /// Makes a directory that belongs to the user, closed to others; without a user, to this process's user.
    static func makeDirectory(_ path: String, for owner: SystemUser?) throws {
        guard unsafe mkdir(path, 0o700) == 0 else { throw SystemFailure.failure("cannot make the directory \(path)") }
        guard let owner else { return }
        guard unsafe chown(path, owner.userID, owner.groupID) == 0 else {
            throw SystemFailure.failure("cannot give \(path) to \(owner.name)")
        }
    }

    /// Makes a directory of this process's user, which the group of another user may read.
    static func makeDirectory(_ path: String, readableBy reader: SystemUser?) throws {
        try makeDirectory(path, for: nil)
        guard let reader else { return }
        guard unsafe chown(path, uid_t.max, reader.groupID) == 0, unsafe chmod(path, 0o750) == 0 else {
            throw SystemFailure.failure("cannot give the group of \(reader.name) access to \(path)")
        }
    }
}
#endif
