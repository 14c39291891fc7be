// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import StrictJSON

extension RecordedExchange {
    /// Request and outcome, with secrets in clear.
    var jsonWithSecretsInClear: JSONValue {
        var object: JSONObject = ["request": .object(Self.json(of: requestWithSecretsInClear))]
        switch outcome {
        case .underWay: break
        case .response(let response): object["response"] = .object(Self.json(of: response))
        case .failure(let code): object["failure"] = .string(code)
        }
        return .object(object)
    }

    /// Reads the JSON of ``jsonWithSecretsInClear``.
    init(id: Int, parsing json: JSONValue) throws(OAuthTestingError) {
        guard let object = json.objectValue, let request = object["request"]?.objectValue,
            let method = request["method"]?.stringValue, let target = request["target"]?.stringValue
        else { throw Self.malformed }
        let sent = HTTPRequest(
            method: method,
            target: target,
            fields: try Self.fields(in: request),
            body: try Self.body(in: request)
        )
        if let failure = object["failure"]?.stringValue {
            self.init(id: id, sent, .failure(failure))
        } else if let response = object["response"]?.objectValue, let status = response["status"]?.integerValue,
            (100...599).contains(status)
        {
            let fields = try Self.fields(in: response)
            let received = HTTPResponse(status: Int(status), fields: fields, body: try Self.body(in: response))
            self.init(id: id, sent, .response(received))
        } else {
            throw Self.malformed
        }
    }

    static let malformed = OAuthTestingError(.malformedRecording, "this is not a recording of exchanges")

    private static func json(of request: HTTPRequest) -> JSONObject {
        var object: JSONObject = ["method": .string(request.method), "target": .string(request.target)]
        object["fields"] = json(of: request.fields)
        add(request.body, to: &object)
        return object
    }

    private static func json(of response: HTTPResponse) -> JSONObject {
        var object: JSONObject = ["status": .number(JSONNumber(Int64(response.status)))]
        object["fields"] = json(of: response.fields)
        add(response.body, to: &object)
        return object
    }

    private static func json(of fields: HTTPFields) -> JSONValue {
        .array(fields.all.map { .strings([$0.name, $0.value]) })
    }

    /// Stores text as text, so that a recording is readable.
    private static func add(_ body: [UInt8], to object: inout JSONObject) {
        guard !body.isEmpty else { return }
        if let text = String(validating: body, as: UTF8.self) {
            object["body"] = .string(text)
        } else {
            object["body_base64url"] = .string(Base64URL.encode(body))
        }
    }

    private static func fields(in object: JSONObject) throws(OAuthTestingError) -> HTTPFields {
        var fields = HTTPFields()
        for field in object["fields"]?.arrayValue ?? [] {
            guard let parts = field.arrayValue?.compactMap(\.stringValue), parts.count == 2 else { throw malformed }
            fields.append(name: parts[0], value: parts[1])
        }
        return fields
    }

    private static func body(in object: JSONObject) throws(OAuthTestingError) -> [UInt8] {
        if let text = object["body"]?.stringValue { return Array(text.utf8) }
        guard let text = object["body_base64url"]?.stringValue else { return [] }
        guard let body = try? Base64URL.decode(text) else { throw malformed }
        return body
    }
}
