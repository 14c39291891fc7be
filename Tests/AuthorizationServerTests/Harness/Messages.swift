// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON
import Testing

extension HTTPRequest {
    /// A POST request with a form.
    static func form(_ path: String, _ parameters: FormParameters, fields: HTTPFields = [:]) -> HTTPRequest {
        var fields = fields
        if fields["Content-Type"] == nil { fields["Content-Type"] = "application/x-www-form-urlencoded" }
        return HTTPRequest(method: "POST", target: path, fields: fields, body: Array(parameters.encoded().utf8))
    }
}

extension HTTPResponse {
    /// The body as a JSON object; empty if it is not one.
    var json: JSONObject { (try? JSONValue(parsing: body))?.objectValue ?? [:] }

    /// `error` of a JSON body.
    var error: String? { json["error"]?.stringValue }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// A string member of a JSON body; the test fails without it.
    func string(_ name: String) throws -> String {
        try #require(json[name]?.stringValue, "status \(status), error \(error ?? "none")")
    }

    /// The address of the link on a page that stays, and leads to the client with a click.
    var wayBack: String? {
        guard let match = text.firstMatch(of: /<a href="([^"]*)">Go back to/) else { return nil }
        return String(match.1).replacing("&amp;", with: "&").replacing("&#38;", with: "&")
    }

    /// The parameters of a redirect to a client, or of the link of a page that leads there.
    func callback() throws -> FormParameters {
        let location = try #require(fields["Location"] ?? wayBack, "status \(status): \(text)")
        return try FormParameters(decoding: try URI(parsing: location).query ?? "")
    }
}

extension FormParameters {
    /// The same parameters with one replaced; `nil` removes it.
    func with(_ name: String, _ value: String?) -> FormParameters {
        var changed = FormParameters()
        for parameter in all where parameter.name != name { changed.append(parameter.name, parameter.value) }
        if let value { changed.append(name, value) }
        return changed
    }

    /// The same parameters and one more, even if the name is already present.
    func adding(_ name: String, _ value: String) -> FormParameters {
        var changed = self
        changed.append(name, value)
        return changed
    }

    subscript(name: String) -> String? { values(for: name).first }
}

/// Expects an error response of RFC 6749 section 5.2: status, code and format.
func expect(
    _ response: HTTPResponse,
    isError error: String,
    status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.error == error, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.status == status, sourceLocation: sourceLocation)
    #expect(response.fields.values(for: "Cache-Control") == ["no-store"], sourceLocation: sourceLocation)
    #expect(response.fields["Content-Type"] == "application/json", sourceLocation: sourceLocation)
    #expect(response.json["access_token"] == nil, sourceLocation: sourceLocation)
    let description = response.json["error_description"]?.stringValue ?? ""
    let isAllowed = description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    #expect(!description.isEmpty && isAllowed, "\(description)", sourceLocation: sourceLocation)
}

/// Expects a page with an error, and no redirect (RFC 6749 section 4.1.2.1).
func expect(
    _ response: HTTPResponse,
    isErrorPageWith code: String,
    status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, sourceLocation: sourceLocation)
    #expect(response.fields["Location"] == nil, sourceLocation: sourceLocation)
    #expect(response.fields["Content-Type"] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
    #expect(response.text.contains(code), "\(response.text)", sourceLocation: sourceLocation)
    let refreshes = response.text.contains("http-equiv") || response.fields["Refresh"] != nil
    #expect(!refreshes, sourceLocation: sourceLocation)
}
