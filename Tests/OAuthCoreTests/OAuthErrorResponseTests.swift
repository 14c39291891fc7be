// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 6749 section 5.2: the error response")
struct OAuthErrorResponseTests {
    @Test func `what is written is read again, as JSON and as parameters`() throws {
        let error = OAuthErrorResponse(.invalidScope, errorDescription: "no 'x' & y", errorURI: "https://a.example/e")
        #expect(try OAuthErrorResponse(parsing: error.json) == error)
        #expect(try OAuthErrorResponse(parsing: error.parameters) == error)
        #expect(try OAuthErrorResponse(parsing: ["error": "new_code"]).error.rawValue == "new_code")
    }

    @Test(arguments: [JSONObject(), ["error": ""], ["error": 1], ["error": "a\nb"], ["error": ["code": 1]]])
    func `without a proper code it is none`(_ object: JSONObject) {
        #expect(throws: OAuthCoreError.self) { try OAuthErrorResponse(parsing: object) }
    }

    @Test func `a repeated parameter is rejected`() {
        #expect(throws: OAuthCoreError.self) {
            try OAuthErrorResponse(parsing: ["error": "a", "error": "b"] as FormParameters)
        }
    }

    @Test func `a description beyond the grammar is cleaned and cut`() throws {
        let long = "a\u{1B}[31m\"" + String(repeating: "x", count: 5000)
        let error = try OAuthErrorResponse(parsing: ["error": "invalid_request", "error_description": .string(long)])
        #expect(error.errorDescription?.utf8.count == 1024)
        #expect(error.errorDescription?.hasPrefix("a?[31m?xx") == true)
    }

    @Test(arguments: [
        HTTPResponse(status: 502, body: Array("<html>oops</html>".utf8)), HTTPResponse(status: 400),
        HTTPResponse(status: 400, body: Array(#"{"message":"no"}"#.utf8)),
        HTTPResponse(status: 400, body: Array(#"["error"]"#.utf8)),
    ])
    func `trap 21: a body that is no OAuth error leaves the status`(_ response: HTTPResponse) {
        let failed = FailedResponse(response)
        #expect(failed.status == response.status)
        #expect(failed.error == nil)
        #expect(failed.description == "HTTP \(response.status)")
    }

    @Test func `trap 21: an error counts whatever its content type`() {
        let body = Array(#"{"error":"invalid_grant","error_description":"secret"}"#.utf8)
        let failed = FailedResponse(HTTPResponse(status: 400, fields: ["Content-Type": "text/plain"], body: body))
        #expect(failed.error?.error == .invalidGrant)
        #expect(failed.description == "HTTP 400, invalid_grant")
    }

    @Test(arguments: [
        ("120", Duration.seconds(120)), ("0", .zero), ("99999999999999999999", .seconds(86_400)), ("", nil),
        ("-1", nil),
        ("soon", nil), ("Fri, 31 Dec 1999 23:59:59 GMT", nil),
    ])
    func `trap 21: Retry-After in seconds is kept`(_ value: String, _ expected: Duration?) {
        #expect(FailedResponse(HTTPResponse(status: 503, fields: ["Retry-After": value])).retryAfter == expected)
    }

    @Test(arguments: [
        ("Fri, 31 Dec 1999 23:59:59 GMT", Duration.seconds(9)), ("Fri, 31 Dec 1999 23:59:40 GMT", .zero),
        ("Fri, 31 Dec 2099 23:59:59 GMT", .seconds(86_400)), ("Fri, 31 Dec 1999", nil),
    ])
    func `trap 21: Retry-After as a date counts from the date of the answer`(_ value: String, _ expected: Duration?) {
        let fields: HTTPFields = ["Retry-After": value, "Date": "Fri, 31 Dec 1999 23:59:50 GMT"]
        #expect(FailedResponse(HTTPResponse(status: 503, fields: fields)).retryAfter == expected)
    }

    @Test func `codes have the spelling of the registry`() {
        #expect(OAuthErrorCode.invalidDPoPProof.rawValue == "invalid_dpop_proof")
        #expect(OAuthErrorCode.useDPoPNonce.rawValue == "use_dpop_nonce")
        #expect(OAuthErrorCode.invalidRequestURI.rawValue == "invalid_request_uri")
        #expect(OAuthErrorCode.temporarilyUnavailable.rawValue == "temporarily_unavailable")
        #expect(OAuthErrorCode.accessDenied.rawValue == "access_denied")
    }
}
