// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import OAuthTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A new file for the body of a response; only the user may read it.
final class DownloadFile: Sendable {
    private let path: String
    private let file: FileDescriptor

    /// Creates the file; may block.
    ///
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when the name is already taken.
    private init(_ path: String) throws(OAuthClientError) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw OAuthClientError(.system("write \(path)")) }
        file = FileDescriptor(number, path)
        self.path = path
    }

    /// Writes a body to a new file, which is kept only if the whole body was received.
    ///
    /// - Parameters:
    ///   - chunks: The body.
    ///   - path: The path of the new file.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, and what the body throws.
    static func write(_ chunks: ResponseChunks, to path: String) async throws(OAuthClientError) {
        do {
            let file = try await BlockingWork.run { try DownloadFile(path) }
            do {
                while let chunk = try await chunks.next() { try await BlockingWork.run { try file.append(chunk) } }
            } catch {
                file.delete()
                throw error
            }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the file for the download cannot be written")
        }
    }

    private func append(_ bytes: [UInt8]) throws(OAuthClientError) {
        do throws(FileError) {
            try file.writeAll(bytes)
        } catch {
            throw OAuthClientError(error)
        }
    }

    private func delete() {
        _ = unsafe unlink(path)
    }
}
