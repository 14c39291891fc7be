// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem

/// A request as an endpoint received it, before any check.
struct ReceivedRequest: Sendable {
    let http: HTTPRequest
    let address: EndpointAddresses.Address
    let now: Timestamp

    init(_ http: HTTPRequest, at address: EndpointAddresses.Address, now: Timestamp) {
        (self.http, self.address, self.now) = (http, address, now)
    }
}
