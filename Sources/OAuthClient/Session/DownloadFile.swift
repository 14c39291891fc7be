// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthSystem
import OAuthTransport
import StrictJSON

/// Writes a body that comes in pieces to a temporary file.
enum DownloadFile {
    static func write(_ chunks: ResponseChunks, named name: [UInt8]) async throws(OAuthClientError) -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("download-" + Base64URL.encode(name))
        do {
            let file = try await BlockingWork.run { try create(url) }
            defer { try? file.close() }
            for try await chunk in chunks {
                try await BlockingWork.run { try file.write(contentsOf: chunk) }
            }
            return url
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw OAuthClientError(error, otherwise: .storageFailed, "the file for the download cannot be written")
        }
    }

    private static func create(_ url: URL) throws -> FileHandle {
        try PrivateFile.replace(url.path, with: [])
        return try FileHandle(forWritingTo: url)
    }
}
