// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What prevents this user from using a file of another user: the file itself, or a directory above it.
struct FileHindrance: Sendable, Equatable {
    /// The file or directory.
    let path: String
    /// Its owner, by name.
    let owner: String
    /// A user who can use it: the owner, or the user with the name of a group that may use it.
    let helper: String

    /// Looks for it from the root down; `nil` if there is none, or the file is missing.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - isPrivate: Whether the file must belong to this user or to root, as databases and secrets must.
    init?(_ file: String, isPrivate: Bool) {
        for directory in Self.directories(above: file) where unsafe access(directory, X_OK) != 0 {
            guard errno == EACCES else { return nil }
            self.init(of: directory, groupNeeds: 0o010)
            return
        }
        guard let status = Self.status(of: file) else { return nil }
        let isForeign = isPrivate && status.st_uid != geteuid() && status.st_uid != 0
        guard unsafe isForeign || access(file, R_OK) != 0 else { return nil }
        self.init(of: file, groupNeeds: isPrivate ? 0o060 : 0o040)
    }

    private init?(of path: String, groupNeeds mode: mode_t) {
        // A file of this user is closed for another reason.
        guard let status = Self.status(of: path), status.st_uid != geteuid() else { return nil }
        self.path = path
        owner = Self.userName(status.st_uid)
        let group = status.st_mode & mode == mode ? Self.groupName(status.st_gid) : nil
        helper = group.flatMap { Self.isUser($0) ? $0 : nil } ?? owner
    }

    /// Why this user cannot use it, as a message.
    var reason: String { "\(path) belongs to \(owner), and this is \(Self.userName(geteuid()))" }

    /// How to go on.
    var remedy: String {
        guard helper != "root" else { return "run the command as root: sudo keybound ..." }
        // A shell takes what follows # for a comment.
        let word = helper.hasPrefix("#") ? "'\(helper)'" : helper
        return "run the command as \(helper): sudo -u \(word) keybound ..."
    }

    /// The hints for a file that could not be opened; none if no other user is the reason.
    static func hints(for file: String, isPrivate: Bool = false) -> [String] {
        FileHindrance(file, isPrivate: isPrivate).map { [$0.reason, $0.remedy] } ?? []
    }

    /// The directories that lead to a file, from the root or the working directory down.
    static func directories(above file: String) -> [String] {
        var built = file.hasPrefix("/") ? "/" : "."
        var directories = [built]
        for component in file.split(separator: "/").dropLast() {
            built += built == "/" ? String(component) : "/" + component
            directories.append(built)
        }
        return directories
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// The name of a user; a number if there is none.
    static func userName(_ userID: uid_t) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let name = unsafe buffer.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let start = buffer.baseAddress,
                unsafe getpwuid_r(userID, &entry, start, buffer.count, &found) == 0, unsafe found != nil,
                let name = unsafe entry.pw_name
            else { return nil }
            return unsafe String(cString: name)
        }
        return name ?? "#\(userID)"
    }

    private static func groupName(_ groupID: gid_t) -> String? {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let start = buffer.baseAddress,
                unsafe getgrgid_r(groupID, &entry, start, buffer.count, &found) == 0, unsafe found != nil,
                let name = unsafe entry.gr_name
            else { return nil }
            return unsafe String(cString: name)
        }
    }

    private static func isUser(_ name: String) -> Bool {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        return unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0 && found != nil
    }
}
