// SPDX-License-Identifier: Apache-2.0

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Status, header fields as ``HTTPFields`` prints them, and the size of the body.
    public var description: String { "\(status) (\(fields)), body of \(body.count) bytes" }

    /// The same.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "fields": fields, "body": "\(body.count) bytes"])
    }
}
