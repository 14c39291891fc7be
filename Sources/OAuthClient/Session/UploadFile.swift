// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file that is the body of a request, read from its beginning each time the request is sent.
struct UploadFile: Sendable {
    let url: URL

    /// Takes a regular file that can be read.
    init(_ url: URL) throws(OAuthClientError) {
        let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        guard url.isFileURL, type == .typeRegular, FileManager.default.isReadableFile(atPath: url.path) else {
            throw OAuthClientError(.invalidArgument, "the file to upload cannot be read")
        }
        self.url = url
    }
}
