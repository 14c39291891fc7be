// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

/// One rule of a profile, for a client (`Subject` is ``ProfiledClient``) or for its server (``ProfiledServer``).
struct ProfileRule<Subject>: Sendable {
    let requirement: ProfileViolation.Requirement
    let section: String
    let reason: String
    let isKept: @Sendable (Subject) -> Bool

    init(
        _ requirement: ProfileViolation.Requirement,
        _ section: String,
        _ reason: String,
        isKept: @escaping @Sendable (Subject) -> Bool
    ) {
        self.requirement = requirement
        self.section = section
        self.reason = reason
        self.isKept = isKept
    }

    static func firstViolation(
        of rules: [ProfileRule],
        by subject: Subject,
        _ profile: ClientProfile
    ) -> ProfileViolation? {
        rules.first { !$0.isKept(subject) }.map { rule in
            ProfileViolation(
                profile: profile,
                requirement: rule.requirement,
                section: rule.section,
                reason: rule.reason
            )
        }
    }
}

/// The properties of a client that the rules check.
struct ProfiledClient: Sendable {
    let configuration: OAuth2ClientConfiguration
    let issuer: String
    /// `nil` for a client without an authorization endpoint, whose rules then do not apply.
    let redirectURI: URI?

    var binding: BoundedTokenConfiguration? { configuration.tokenBoundConfiguration.binding }

    var authenticatesWithCertificate: Bool {
        if case .certificate = configuration.clientAuthentication.credential { true } else { false }
    }

    /// The algorithms that the client signs with, and those that it accepts from the server.
    var algorithms: Set<SignatureAlgorithm> {
        var algorithms = configuration.idTokenAlgorithms.union(configuration.signedResponseAlgorithms)
        if case .privateKey(let key, _) = configuration.clientAuthentication.credential {
            algorithms.insert(key.algorithm)
        }
        if let signing = configuration.requestObjectSigning { algorithms.insert(signing.key.algorithm) }
        if let binding { algorithms.formUnion(binding.keyPairTypes.map(\.algorithm)) }
        return algorithms
    }

    /// RFC 8252 section 7: a claimed https URI, a loopback IP literal, or a scheme that is a reversed domain name.
    var hasRedirectURIOfItsOwn: Bool {
        guard let redirectURI else { return true }
        let scheme = redirectURI.scheme.lowercased()
        return switch scheme {
        case "https": redirectURI.host?.isEmpty == false
        case "http": redirectURI.isLoopbackIPLiteral
        default: scheme.contains(".")
        }
    }
}

/// The properties of a server that the rules check.
struct ProfiledServer: Sendable {
    let metadata: AuthorizationServerMetadata
    let client: ProfiledClient

    var usesAuthorizationEndpoint: Bool { client.redirectURI != nil }

    /// Whether the metadata promises this client's token binding: proofs with its algorithm, or its certificate.
    var bindsTokens: Bool {
        guard let binding = client.binding else {
            // RFC 8705 section 3.3.
            return metadata.otherMembers["tls_client_certificate_bound_access_tokens"] == true
        }
        let accepted = metadata.dpopSigningAlgValuesSupported ?? []
        return binding.keyPairTypes.contains { accepted.contains($0.algorithm.rawValue) }
    }
}
