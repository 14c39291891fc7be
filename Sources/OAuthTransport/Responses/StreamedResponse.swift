// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// A response whose body is read as it arrives.
public struct StreamedResponse: Sendable {
    /// The status code, 200 to 999.
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    /// The body, of any length.
    public let body: ResponseBytes

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The header fields.
    ///   - body: The body.
    public init(status: Int, fields: HTTPFields, body: ResponseBytes) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Makes a response that was already received.
    ///
    /// - Parameter response: The whole response.
    public init(_ response: HTTPResponse) {
        self.init(
            status: response.status,
            fields: response.fields,
            body: ResponseBytes(ResponseChunks(response.body))
        )
    }
}
