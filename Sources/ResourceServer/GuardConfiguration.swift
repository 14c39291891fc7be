// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE

/// What an API demands of the requests that reach it.
public struct GuardConfiguration: Sendable {
    /// `iss`: the authorization server whose tokens are accepted, byte by byte.
    public var issuer: String
    /// The public address of the API: `htu` is this and the path of the request; configured, never taken from `Host`.
    ///
    /// It has a path only when a proxy takes that path off before it passes requests on.
    public var address: URI
    /// `aud`: what access tokens must be for; the address unless said otherwise.
    public var audience: String
    /// The algorithms that access tokens may be signed with.
    public var tokenAlgorithms: Set<SignatureAlgorithm>
    /// What is demanded of proofs.
    public var proofs: ProofPolicy
    /// How far the clocks of the authorization server and of this API may differ.
    public var leeway: Duration
    /// What the API tells about itself at its well-known address, to which its challenges lead; `nil`, the default, for nothing
    /// (RFC 9728): see ``RequestGuard/metadataResponse(to:)``.
    public var metadata: PublishedMetadata?
    /// Where the signatures of requests that come at the same time, of access tokens and proofs, are verified together; `nil`,
    /// the default, for one by one.
    public var signatures: (any SignatureVerifier)?

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server whose tokens are accepted.
    ///   - address: The public address of the API, http or https, without a slash at the end.
    ///   - audience: What access tokens must be for; the address when `nil`.
    ///   - tokenAlgorithms: The algorithms that access tokens may be signed with.
    ///   - proofs: What is demanded of proofs.
    ///   - leeway: How far clocks may differ.
    public init(
        issuer: String,
        address: URI,
        audience: String? = nil,
        tokenAlgorithms: Set<SignatureAlgorithm> = [.es256],
        proofs: ProofPolicy = ProofPolicy(),
        leeway: Duration = .seconds(10)
    ) {
        self.issuer = issuer
        self.address = address
        self.audience = audience ?? address.description
        self.tokenAlgorithms = tokenAlgorithms
        self.proofs = proofs
        self.leeway = leeway
    }
}
