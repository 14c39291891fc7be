// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What answers at one origin of a ``FakeNetwork``.
protocol FakeHost: Sendable {
    /// What goes wrong with the next requests.
    var faults: FaultPlan { get }

    /// Answers a request.
    ///
    /// - Parameter request: The request with an origin-form target, as a listener would hand it on.
    /// - Returns: The response.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Makes every nonce worthless that was given out before.
    ///
    /// - Throws: An error of the server that is set up anew.
    func replaceNonceSecret() throws
}
