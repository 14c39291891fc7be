// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// RFC 8707 section 2: the requested APIs are known, and the scope belongs to them.
struct CheckResources<Base: ClientStage>: Check {
    let section = "RFC 8707 section 2"

    func run(_ request: ScopedRequest<Base>, _ services: Services) throws(ProtocolFailure) -> AccessRequest<Base> {
        let configuration = services.configuration
        let asked = try request.form.requestedResources()
        let resources = configuration.resources(at: asked)
        guard resources.count == max(1, asked.count) else { throw .targetRejected }
        let scope = configuration.scope(request.scope, of: resources)
        let isAskedFor = try request.parameter("scope") != nil
        guard scope == request.scope || !isAskedFor else {
            throw ProtocolFailure(.invalidScope, "the scope belongs to a resource that is not asked for")
        }
        return AccessRequest(base: request.base, scope: scope, resources: asked)
    }
}
