// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import OAuthCore

/// A file that is the body of a request, read from its beginning each time the request is sent.
package struct UploadFile: Sendable {
    package let url: URL

    /// Takes a regular file that can be read.
    package init(_ url: URL) throws(OAuthCoreError) {
        let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        guard url.isFileURL, type == .typeRegular, FileManager.default.isReadableFile(atPath: url.path) else {
            throw OAuthCoreError(.invalidRequest, "the file to upload cannot be read")
        }
        self.url = url
    }
}
