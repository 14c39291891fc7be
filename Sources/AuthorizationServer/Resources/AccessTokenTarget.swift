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
    /// The claims about users that these APIs take.
    let claims: [String]

    /// Combines APIs for one token; throws if they need different tokens.
    init(_ resources: [ProtectedResource], _ configuration: ServerConfiguration) throws(ProtocolFailure) {
        guard let first = resources.first else { throw .targetRejected }
        (format, signingAlgorithm, claims) = (first.tokenFormat, first.signingAlgorithm, first.claims)
        guard resources.allSatisfy({ $0.takesSameTokens(as: first) }) else {
            throw ProtocolFailure(.invalidTarget, "the resources take different tokens: ask for one at a time")
        }
        self.resources = resources
        let longest = configuration.lifetimes.accessToken
        lifetime = resources.map { $0.accessTokenLifetime ?? longest }.min() ?? longest
    }

    /// The APIs of a grant when the client chooses none: all of them, or the first and those compatible with it.
    init(of grant: Grant, _ configuration: ServerConfiguration) throws(ProtocolFailure) {
        let all = configuration.resources(at: grant.resources)
        let alike = all.first.map { first in all.filter { $0.takesSameTokens(as: first) } } ?? []
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

extension ProtectedResource {
    /// Whether one token can be for both APIs: neither gets claims about the user that only the other one takes.
    fileprivate func takesSameTokens(as other: Self) -> Bool {
        tokenFormat == other.tokenFormat && signingAlgorithm == other.signingAlgorithm
            && (claims == other.claims || Set(claims) == Set(other.claims))
    }
}

extension ProtocolFailure {
    /// RFC 8707 section 2.
    static let targetRejected = ProtocolFailure(
        .invalidTarget,
        "a resource is unknown, malformed, or not among those that were granted"
    )
}
