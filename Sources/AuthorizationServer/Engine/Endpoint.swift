// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The path of one endpoint, and a handler for each method.
struct Endpoint: Sendable {
    typealias Action = @Sendable (HTTPRequest) async -> HTTPResponse

    let address: EndpointAddresses.Address
    let actions: [String: Action]
    /// Whether HEAD may be sent: GET changes nothing and issues nothing that works once.
    var allowsHead = false
    /// Whether scripts of registered web origins may call it.
    var isForScripts = false
    /// The limit per address; `nil` for an endpoint without one, or with a limit of its own.
    var limit: EndpointLimit?

    /// Runs the action of a request, unless its address must wait; `nil` if the method has none.
    func respond(to request: HTTPRequest, _ services: Services) async -> HTTPResponse? {
        // RFC 9110 section 9.3.2: HEAD is handled like GET; the listener omits the body. But its result would be lost
        // where GET has one, such as a code.
        guard let action = actions[request.method == "HEAD" && allowsHead ? "GET" : request.method] else { return nil }
        guard let limit else { return await action(request) }
        return await limit.run(request, services, action)
    }

    /// The `Allow` field (RFC 9110 section 15.5.6).
    var allowedMethods: String {
        (actions.keys + (allowsHead ? ["HEAD"] : [])).sorted().joined(separator: ", ")
    }
}
