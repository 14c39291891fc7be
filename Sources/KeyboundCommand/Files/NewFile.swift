// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import OAuthSystem

/// Files that must not be there yet.
enum NewFile {
    /// Writes a file that appears complete or not at all.
    ///
    /// - Parameters:
    ///   - content: Its content.
    ///   - path: Its path.
    ///   - reader: Whose group may read it; `nil` if only this user may.
    /// - Throws: ``CommandFailure``, also if the name exists by now: nothing is ever overwritten.
    static func write(_ content: [UInt8], to path: String, readableBy reader: SystemUser?) throws {
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw SystemFailure.failure("cannot write \(path)") }
        defer { close(descriptor) }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { _ = unsafe unlink(temporary) }
        try OutputFile.write(content, to: descriptor, named: path)
        let isSet =
            if let reader { fchown(descriptor, uid_t.max, reader.groupID) == 0 && fchmod(descriptor, 0o640) == 0 } else
            {
                fchmod(descriptor, 0o600) == 0
            }
        guard isSet, fsync(descriptor) == 0, unsafe link(temporary, path) == 0 else {
            throw SystemFailure.failure("cannot write \(path)")
        }
    }

    /// Finds out whether files could be made in the directory of a path, which may be missing itself.
    ///
    /// - Throws: ``CommandFailure`` if not.
    static func requireWritable(parentOf path: String) throws {
        let directory = DoctorPaths.nearestDirectory(of: path)
        guard unsafe access(directory, W_OK | X_OK) == 0 else {
            throw SystemFailure.failure(
                "cannot write to \(directory)",
                .failure,
                hint: "run it as root (sudo), or name other places with --config and --data-directory"
            )
        }
    }
}
#endif
