// SPDX-License-Identifier: Apache-2.0

/// An HTTP response as a value.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The header fields.
    public var fields: HTTPFields
    /// The complete body; empty if there is none.
    public var body: [UInt8]

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status code, 100 to 599.
    ///   - fields: The header fields.
    ///   - body: The complete body.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
