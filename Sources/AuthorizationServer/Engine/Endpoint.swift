// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The path of one endpoint, and a handler for each method.
struct Endpoint: Sendable {
    typealias Action = @Sendable (HTTPRequest) async -> HTTPResponse

    let address: EndpointAddresses.Address
    let actions: [String: Action]
    /// Whether HEAD may be sent: GET changes nothing and gives out nothing that works once.
    var allowsHead = false
    /// The limit per address; `nil` for an endpoint without one, or with a limit of its own.
    var limit: EndpointLimit?

    /// The `Allow` field (RFC 9110 section 15.5.6).
    var allowedMethods: String {
        (actions.keys + (allowsHead ? ["HEAD"] : [])).sorted().joined(separator: ", ")
    }
}
