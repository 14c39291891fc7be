// SPDX-License-Identifier: Apache-2.0

package import OAuthCore
package import OAuthSystem

/// A file as the body of a request, read from its beginning each time the request is sent.
package enum UploadFile {
    /// Opens a regular file.
    ///
    /// - Parameter path: The path.
    /// - Returns: The file, which is closed with its last reference.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when it is not a readable regular file.
    package static func open(_ path: String) async throws(OAuthCoreError) -> RegularFile {
        let file = try? await BlockingWork.run { RegularFile(path) }
        guard let file else { throw unreadable }
        return file
    }

    /// Loads a whole file.
    static func content(_ path: String) async throws(OAuthCoreError) -> [UInt8] {
        let content = try? await BlockingWork.run { () -> [UInt8]? in
            guard let file = RegularFile(path) else { return nil }
            return file.read(at: 0, upTo: file.size)
        }
        guard let content else { throw unreadable }
        return content
    }

    private static let unreadable = OAuthCoreError(.invalidRequest, "the file to upload cannot be read")
}
