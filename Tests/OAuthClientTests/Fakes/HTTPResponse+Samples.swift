// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON

extension HTTPResponse {
    static func json(_ status: Int, _ object: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
    }

    static func error(_ status: Int, _ code: String) -> HTTPResponse {
        .json(status, ["error": .string(code)])
    }

    static func challenge(_ value: String, status: Int = 401) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["WWW-Authenticate": value])
    }
}
