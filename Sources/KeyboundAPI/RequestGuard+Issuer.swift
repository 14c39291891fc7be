// SPDX-License-Identifier: Apache-2.0

public import DPoP
import HTTPMessage
public import OAuthCore
import OAuthTransport
public import ResourceServer

/// A guard from an issuer and an address.
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
        guard let issuerURI = try? URI(parsing: issuer), issuerURI.host != nil,
            let addressURI = try? URI(parsing: address)
        else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the issuer and the address of the API are URLs such as https://api.example.com"
            )
        }
        // RFC 8414 sections 2 and 6.1: whoever can change the metadata can name keys of their own, and sign tokens.
        guard issuerURI.isHTTPSOrLoopback else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the issuer must be an https URL; http is allowed only for a loopback address such as http://127.0.0.1:8080"
            )
        }
        var configuration = GuardConfiguration(issuer: issuer, address: addressURI, audience: audience, proofs: proofs)
        configuration.metadata = metadata
        let keys = IssuerKeys(of: issuerURI, transport: transport ?? PlatformTransport())
        try self.init(configuration: configuration, keys: keys)
    }
}
