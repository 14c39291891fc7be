// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// RFC 8707 section 2.2: an access token is for all of the granted APIs, or for fewer.
struct CheckTokenTarget<Stage: TargetStage>: Check {
    let section = "RFC 8707 section 2.2"

    func run(_ request: Stage, _ services: Services) throws(ProtocolFailure) -> Stage.Targeted {
        try request.targeted(services.configuration)
    }
}

extension CodeRequest: TargetStage {}
extension ScopedRequest: TargetStage where Base: GrantStage {}

extension GrantStage {
    /// A code or refresh token is for the APIs of its grant, or for fewer.
    func targeted(_ configuration: ServerConfiguration) throws(ProtocolFailure) -> GrantedRequest<Self> {
        guard let grant else { return GrantedRequest(base: self, granted: nil) }
        let target = try target(under: grant, configuration)
        return GrantedRequest(base: self, granted: GrantedRequest<Self>.Granted(grant: grant, target: target))
    }

    private func target(
        under grant: Grant,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) -> AccessTokenTarget {
        let asked = try form.requestedResources()
        // Naming all of them is not a choice either: clients repeat the resources of the authorization request.
        guard !asked.isEmpty, Set(asked) != Set(grant.resources) else {
            return try AccessTokenTarget(of: grant, configuration)
        }
        let granted = configuration.resources(at: grant.resources)
        let resources = asked.compactMap { address in granted.first { $0.address.isIdentical(to: address) } }
        guard resources.count == asked.count else { throw .targetRejected }
        return try AccessTokenTarget(resources, configuration)
    }
}

extension AccessRequest: TargetStage where Base == TokenRequest {
    /// A client credentials grant is for whatever APIs the request names.
    func targeted(_ configuration: ServerConfiguration) throws(ProtocolFailure) -> ClientCredentialsRequest {
        let target = try AccessTokenTarget(configuration.resources(at: resources), configuration)
        return ClientCredentialsRequest(base: self, target: target)
    }
}
