// SPDX-License-Identifier: Apache-2.0

#if HTTPTypes
public import HTTPMessage
public import HTTPTypes

extension HTTPTypes.HTTPFields {
    /// The fields of a response of a guard, for a response of swift-http-types.
    ///
    /// - Parameter fields: The fields; one whose name is no token is left out.
    public init(_ fields: HTTPMessage.HTTPFields) {
        self.init()
        append(contentsOf: fields)
    }

    /// Adds the fields that a guard wants in the response.
    ///
    /// - Parameter fields: The fields; one whose name is no token is left out.
    public mutating func append(contentsOf fields: HTTPMessage.HTTPFields) {
        for field in fields.all {
            if let name = HTTPField.Name(field.name) { append(HTTPField(name: name, value: field.value)) }
        }
    }
}
#endif
