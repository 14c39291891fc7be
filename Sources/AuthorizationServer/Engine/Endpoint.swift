// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// One endpoint: where it is, and what it does for each method.
struct Endpoint: Sendable {
    typealias Action = @Sendable (HTTPRequest) async -> HTTPResponse

    let address: EndpointAddresses.Address
    let actions: [String: Action]
    /// How often one address may ask; `nil` for an endpoint that counts by itself, or not.
    var limit: EndpointLimit?

    /// RFC 9110 section 15.5.6: what may be asked here.
    var allowedMethods: String {
        let heads = actions["GET"] == nil ? [] : ["HEAD"]
        return (actions.keys + heads).sorted().joined(separator: ", ")
    }
}
