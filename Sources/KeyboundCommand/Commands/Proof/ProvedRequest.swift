// SPDX-License-Identifier: Apache-2.0

import DPoP

/// The request that a proof is for, as options name it.
enum ProvedRequest {
    static let method = Option.value(
        "--method",
        letter: "X",
        "METHOD",
        "the method of the request",
        default: "GET"
    )
    static let url = Option.value("--url", "URL", "the URL of the request")

    static func method(_ arguments: ParsedArguments) -> String {
        arguments.value(method) ?? "GET"
    }

    static func targetURI(_ arguments: ParsedArguments) throws -> TargetURI {
        do {
            return try TargetURI(parsing: arguments.required(url))
        } catch let error as DPoPError {
            throw CommandFailure.usage("\(url.name): \(error.reason)")
        }
    }
}
