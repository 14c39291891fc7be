// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// RFC 8707 section 2: the APIs that tokens are asked for are known, and the scope belongs to them.
struct CheckResources: Check {
    let section = "RFC 8707 section 2"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let configuration = services.configuration
        request.resources = try request.requestedResources()
        let resources = configuration.resources(at: request.resources)
        guard resources.count == max(1, request.resources.count) else { throw .targetRefused }
        let scope = configuration.scope(request.scope, of: resources)
        let isAskedFor = try request.parameter("scope") != nil
        guard scope == request.scope || !isAskedFor else {
            throw ProtocolFailure(.invalidScope, "the scope belongs to a resource that is not asked for")
        }
        request.scope = scope
    }
}
