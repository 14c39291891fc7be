// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A request that a client lets the browser post, where others send it as a query (RFC 6749 section 3.1).
///
/// A form from elsewhere comes without the cookie, which is SameSite=Lax; the redirect brings it.
enum PostedRequest {
    /// Sends the browser to the same address with the parameters of the form.
    static func asQuery(
        _ http: HTTPRequest,
        at address: EndpointAddresses.Address
    ) throws(ProtocolFailure) -> HTTPResponse {
        .seeOther(address.path + "?" + (try FormBody.parameters(of: http)).encoded())
    }
}
