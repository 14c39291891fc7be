// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What a browser says about the origin of a request (Fetch Metadata Request Headers, sections 2.1 to 2.4).
///
/// A page cannot set these fields, so where they are present they tell a form of this server from one of another site, and
/// from a request of a script or a frame.
enum FetchMetadata {
    /// Whether a request may be a form of a page of this server that a user submitted.
    ///
    /// Programs and old browsers send none of these fields; then the other checks decide.
    static func allowsForm(_ request: HTTPRequest) -> Bool {
        hasOnly(request, "Sec-Fetch-Site", "same-origin") && hasOnly(request, "Sec-Fetch-Mode", "navigate")
            && hasOnly(request, "Sec-Fetch-Dest", "document")
    }

    private static func hasOnly(_ request: HTTPRequest, _ name: String, _ value: String) -> Bool {
        let values = request.fields.values(for: name)
        return values.isEmpty || values == [value]
    }
}
