// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The APIs of one access token, which all accept the same token format.
struct AccessTokenTarget: Sendable {
    /// At least one.
    let resources: [ProtectedResource]
    let format: AccessTokenFormat
    let signingAlgorithm: SignatureAlgorithm?
    let lifetime: Duration

    /// Combines APIs for one token; throws if they need different tokens.
    init(_ resources: [ProtectedResource], _ configuration: ServerConfiguration) throws(ProtocolFailure) {
        guard let first = resources.first else { throw .targetRejected }
        (format, signingAlgorithm) = (first.tokenFormat, first.signingAlgorithm)
        guard
            resources.allSatisfy({
                $0.tokenFormat == first.tokenFormat && $0.signingAlgorithm == first.signingAlgorithm
            })
        else {
            throw ProtocolFailure(.invalidTarget, "the resources take different tokens: ask for one at a time")
        }
        self.resources = resources
        let longest = configuration.lifetimes.accessToken
        lifetime = resources.map { $0.accessTokenLifetime ?? longest }.min() ?? longest
    }

    /// The APIs of a grant when the client chooses none: all of them, or the first and those compatible with it.
    init(of grant: Grant, _ configuration: ServerConfiguration) throws(ProtocolFailure) {
        let all = configuration.resources(at: grant.resources)
        let alike = all.filter { resource in
            resource.tokenFormat == all.first?.tokenFormat && resource.signingAlgorithm == all.first?.signingAlgorithm
        }
        try self.init(alike, configuration)
    }

    /// `aud` (RFC 7519 section 4.1.3).
    var audience: JSONValue {
        resources.count == 1 ? .string(resources[0].address) : .strings(resources.map(\.address))
    }

    /// The details for these APIs: those without a location, or with one of these (RFC 9396 section 9.1).
    func details(_ details: [AuthorizationDetail]) -> [AuthorizationDetail] {
        details.filter { detail in
            guard let locations = detail.locations else { return true }
            return locations.contains { location in resources.contains { $0.address.isIdentical(to: location) } }
        }
    }
}

extension ProtocolFailure {
    /// RFC 8707 section 2.
    static let targetRejected = ProtocolFailure(
        .invalidTarget,
        "a resource is unknown, malformed, or not among those that were granted"
    )
}
