// SPDX-License-Identifier: Apache-2.0

#if HTTPTypes
public import HTTPMessage
public import HTTPTypes

extension HTTPMessage.HTTPRequest {
    /// The head of a request of swift-http-types, as a guard checks it.
    ///
    /// Method, path, query and field values stay as they were received. The body is not taken along: a token in a form
    /// (RFC 6750 section 2.2) is not looked for.
    ///
    /// - Parameter head: The head; its path is in origin form.
    public init(_ head: HTTPTypes.HTTPRequest) {
        self.init(
            method: head.method.rawValue,
            target: head.path ?? "",
            fields: HTTPMessage.HTTPFields(head.headerFields.map { .init(name: $0.name.rawName, value: $0.value) })
        )
    }
}
#endif
