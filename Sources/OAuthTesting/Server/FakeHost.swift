// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A host at one origin of a ``FakeNetwork``.
protocol FakeHost: Sendable {
    /// The faults of the next requests.
    var faults: FaultPlan { get }

    /// Responds to a request.
    ///
    /// - Parameter request: The request with an origin-form target, as a listener would deliver it.
    /// - Returns: The response.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Invalidates all nonces issued so far.
    ///
    /// - Throws: An error of the server that is set up again.
    func replaceNonceSecret() throws
}
