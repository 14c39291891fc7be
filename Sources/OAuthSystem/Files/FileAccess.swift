// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// Who may have access to a file that an operator made.
package enum FileAccess {
    /// The owner only.
    case owner
    /// The owner, and the group for reading only: systemd gives credentials the mode 0440.
    case ownerAndReadingGroup
    /// Everybody, but only the owner may change it: a file without secrets that decides who gets them.
    case everybodyReading

    /// Rejects a file to which others have access.
    ///
    /// - Parameters:
    ///   - status: The status of the file. For a file that can be exchanged meanwhile, that of its open descriptor.
    ///   - path: The path of the file, for the message.
    /// - Throws: ``FileError`` if the file is neither regular nor a pipe, belongs neither to this user nor to root, or
    ///   is open to others; the message names the `chmod` that helps.
    package func check(_ status: stat, _ path: String) throws(FileError) {
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFIFO else { throw FileError("\(path) is not a regular file") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw FileError("\(path) belongs to another user: run chown on it, if only you can have changed it")
        }
        let excess = status.st_mode & forbidden
        guard excess == 0 else {
            throw FileError(
                "\(path) can be \(Self.verb(excess)) by \(Self.whom(excess)) (mode \(Self.octal(status.st_mode))): "
                    + remedy
            )
        }
    }

    /// The status of a file; a link is followed.
    ///
    /// - Parameter path: The path.
    /// - Returns: The status; `nil` if there is no such file.
    /// - Throws: ``FileError``.
    package static func status(of path: String) throws(FileError) -> stat? {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return status }
        guard errno == ENOENT else { throw .system("look at \(path)") }
        return nil
    }

    /// Rejects the directory of a file if everybody may exchange the file.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``FileError`` if everybody may write to the directory, and it is not sticky as /tmp is.
    package static func checkDirectory(of path: String) throws(FileError) {
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let status = try status(of: parent) else { return }
        guard status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw FileError(
                "everybody can exchange files in \(parent) (mode \(octal(status.st_mode))): run chmod o-w on it"
            )
        }
    }

    private var forbidden: mode_t {
        switch self {
        case .owner: 0o077
        case .ownerAndReadingGroup: 0o027
        case .everybodyReading: 0o022
        }
    }

    private var remedy: String {
        switch self {
        case .owner, .ownerAndReadingGroup: "run chmod 600 on it, and renew its secrets if somebody may have seen them"
        case .everybodyReading: "run chmod go-w on it, and look whether somebody changed it"
        }
    }

    private static func verb(_ excess: mode_t) -> String {
        if excess & 0o022 != 0 { return excess & 0o044 == 0 ? "changed" : "read and changed" }
        return excess & 0o044 == 0 ? "executed" : "read"
    }

    private static func whom(_ excess: mode_t) -> String {
        excess & 0o007 == 0 ? "its group" : "everybody"
    }

    private static func octal(_ mode: mode_t) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
