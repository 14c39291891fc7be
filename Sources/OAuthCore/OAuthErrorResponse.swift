// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import StrictJSON

/// A protocol error as it is sent (RFC 6749 sections 4.1.2.1 and 5.2).
public struct OAuthErrorResponse: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// `error`.
    public var error: OAuthErrorCode
    /// `error_description`: text for developers, not for users.
    public var errorDescription: String?
    /// `error_uri`: a page about the error.
    public var errorURI: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - error: The code.
    ///   - errorDescription: Text for developers, ASCII without `"` and `\`.
    ///   - errorURI: A page about the error.
    public init(_ error: OAuthErrorCode, errorDescription: String? = nil, errorURI: String? = nil) {
        self.error = error
        self.errorDescription = errorDescription
        self.errorURI = errorURI
    }

    /// Reads the body of an error response.
    ///
    /// Descriptions that are too long or contain characters outside section 5.2 are cut and cleaned, not rejected: the
    /// text comes from another party.
    ///
    /// - Parameter object: The JSON body.
    /// - Throws: ``OAuthCoreError/Code/malformedErrorResponse`` without a proper `error`.
    public init(parsing object: JSONObject) throws(OAuthCoreError) {
        try self.init(
            error: object["error"]?.stringValue,
            errorDescription: object["error_description"]?.stringValue,
            errorURI: object["error_uri"]?.stringValue
        )
    }

    /// Reads the parameters of an authorization response.
    ///
    /// - Parameter parameters: The query of the callback, decoded.
    /// - Throws: ``OAuthCoreError/Code/malformedErrorResponse`` without a proper `error`, or when it is repeated.
    public init(parsing parameters: FormParameters) throws(OAuthCoreError) {
        do {
            try self.init(
                error: parameters.value(for: "error"),
                errorDescription: parameters.value(for: "error_description"),
                errorURI: parameters.value(for: "error_uri")
            )
        } catch let error as OAuthCoreError {
            throw error
        } catch {
            throw OAuthCoreError(.malformedErrorResponse, "a parameter of the error is repeated", underlying: error)
        }
    }

    private init(error: String?, errorDescription: String?, errorURI: String?) throws(OAuthCoreError) {
        guard let error, !error.isEmpty, error.utf8.count <= Self.maximumCodeLength,
            error.utf8.allSatisfy(Self.isTextCharacter)
        else {
            throw OAuthCoreError(.malformedErrorResponse, "'error' is missing or not a short ASCII text")
        }
        self.init(
            OAuthErrorCode(rawValue: error),
            errorDescription: errorDescription.flatMap(Self.cleaned),
            errorURI: errorURI.flatMap(Self.cleaned)
        )
    }

    /// The JSON body of an error response.
    public var json: JSONObject {
        var object: JSONObject = ["error": .string(error.rawValue)]
        object["error_description"] = errorDescription.map { .string($0) }
        object["error_uri"] = errorURI.map { .string($0) }
        return object
    }

    /// The parameters of an error that is sent through the browser.
    public var parameters: FormParameters {
        var parameters: FormParameters = ["error": error.rawValue]
        if let errorDescription { parameters.append("error_description", errorDescription) }
        if let errorURI { parameters.append("error_uri", errorURI) }
        return parameters
    }

    private static let maximumCodeLength = 128
    private static let maximumTextLength = 1024

    /// The characters of section 5.2: visible ASCII and space, without `"` and `\`.
    private static func isTextCharacter(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x21 || (byte >= 0x23 && byte <= 0x5B) || (byte >= 0x5D && byte <= 0x7E)
    }

    private static func cleaned(_ text: String) -> String? {
        let bytes = text.utf8.prefix(maximumTextLength).map { isTextCharacter($0) ? $0 : UInt8(ascii: "?") }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The code: the texts are the server's, and may repeat what was sent.
    public var description: String { error.rawValue }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["error": error]) }
}
