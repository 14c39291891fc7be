// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// A query may hold a code or a `request_uri`.
    private var printedTarget: String { query == nil ? target : "\(path)?(redacted)" }

    /// Method and target without its query, header fields as ``HTTPFields`` prints them, and the size of the body.
    public var description: String { "\(method) \(printedTarget) (\(fields)), body of \(body.count) bytes" }

    /// The same.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["method": method, "target": printedTarget, "fields": fields, "body": "\(body.count) bytes"]
        )
    }
}
