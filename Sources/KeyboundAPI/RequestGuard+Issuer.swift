// SPDX-License-Identifier: Apache-2.0

public import DPoP
import HTTPMessage
public import OAuthCore
public import ResourceServer

/// A guard from issuers and an address.
extension RequestGuard {
    /// Makes a guard for an API that accepts the access tokens of one issuer.
    ///
    /// <!-- given: import KeyboundAPI -->
    /// ```swift
    /// let apiGuard = try RequestGuard(
    ///     issuer: "https://auth.example.com", address: "https://api.example.com")
    /// ```
    ///
    /// The keys of the issuer are found with its metadata when the first token is checked, so the API can start before
    /// the issuer. Used proofs are stored in memory, which suits one process.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the tokens, compared with `iss` byte by byte: an https URL, or http with a loopback IP
    ///     literal such as `127.0.0.1`.
    ///   - address: The public address of the API, an https URL without query, fragment and slash at the end.
    ///   - audience: `aud` of access tokens; `nil` for the address.
    ///   - proofs: The requirements for proofs.
    ///   - metadata: What the API publishes about itself, see ``/ResourceServer/GuardConfiguration/metadata``.
    ///   - transport: Fetches metadata and keys; `nil` for the transport of the platform.
    /// - Throws: ``/ResourceServer/ResourceServerError`` –
    ///   ``/ResourceServer/ResourceServerError/Code/invalidConfiguration`` if an address cannot be used.
    public init(
        issuer: String,
        address: String,
        audience: String? = nil,
        proofs: ProofPolicy = ProofPolicy(),
        metadata: PublishedMetadata? = nil,
        transport: (any HTTPTransport)? = nil
    ) throws(ResourceServerError) {
        try self.init(
            issuers: [AcceptedIssuer(issuer, transport: transport)],
            address: address,
            audience: audience,
            proofs: proofs,
            metadata: metadata
        )
    }

    /// Makes a guard for an API that accepts the access tokens of several issuers.
    ///
    /// <!-- given: import KeyboundAPI; import JOSE -->
    /// ```swift
    /// var former = try AcceptedIssuer("https://id.example.com/realms/shop")
    /// former.tokenProfile = .jwtWithoutExplicitType
    /// former.tokenAlgorithms = [.rs256]
    /// let apiGuard = try RequestGuard(
    ///     issuers: [AcceptedIssuer("https://auth.example.com"), former],
    ///     address: "https://api.example.com")
    /// ```
    ///
    /// A user is identified by ``/ResourceServer/AuthorizedRequest/issuer`` and
    /// ``/ResourceServer/AuthorizedRequest/subject``: two issuers may use the same subject for different users.
    ///
    /// - Parameters:
    ///   - issuers: The issuers; clients that know only the URL of the API may take the first.
    ///   - address: The public address of the API, an https URL without query, fragment and slash at the end.
    ///   - audience: `aud` of the access tokens of issuers without one of their own; `nil` for the address.
    ///   - proofs: The requirements for proofs.
    ///   - metadata: What the API publishes about itself, see ``/ResourceServer/GuardConfiguration/metadata``.
    /// - Throws: ``/ResourceServer/ResourceServerError`` –
    ///   ``/ResourceServer/ResourceServerError/Code/invalidConfiguration`` if there is no issuer, one is listed twice, or
    ///   the address cannot be used.
    public init(
        issuers: [AcceptedIssuer],
        address: String,
        audience: String? = nil,
        proofs: ProofPolicy = ProofPolicy(),
        metadata: PublishedMetadata? = nil
    ) throws(ResourceServerError) {
        guard let first = issuers.first, let addressURI = try? URI(parsing: address) else {
            throw ResourceServerError(
                .invalidConfiguration,
                "an API has at least one issuer, and an address such as https://api.example.com"
            )
        }
        let common = audience ?? addressURI.description
        var configuration = GuardConfiguration(
            issuer: first.issuer,
            address: addressURI,
            audience: first.audience ?? common,
            tokenAlgorithms: first.tokenAlgorithms,
            proofs: proofs
        )
        configuration.tokenProfile = first.tokenProfile
        configuration.furtherIssuers = issuers.dropFirst().map { issuer in
            var issuer = issuer
            issuer.audience = issuer.audience ?? common
            return issuer
        }
        configuration.metadata = metadata
        try self.init(configuration: configuration, keys: first.keys)
    }
}
