// SPDX-License-Identifier: Apache-2.0

#if Vapor
import HTTPMessage
import Vapor

extension Response {
    /// The response of a guard, for Vapor.
    convenience init(_ response: HTTPMessage.HTTPResponse) {
        var headers = HTTPHeaders()
        headers.add(response.fields)
        self.init(
            status: .init(statusCode: response.status),
            headers: headers,
            body: .init(data: Data(response.body))
        )
    }
}

extension HTTPHeaders {
    /// Adds the fields that a guard wants in the response.
    mutating func add(_ fields: HTTPMessage.HTTPFields) {
        for field in fields.all { add(name: field.name, value: field.value) }
    }
}
#endif
