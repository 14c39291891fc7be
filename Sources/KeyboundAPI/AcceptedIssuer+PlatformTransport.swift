// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthCore
import OAuthTransport
public import ResourceServer

/// An issuer from its address.
extension AcceptedIssuer {
    /// Describes an issuer whose keys are found with its metadata.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the tokens, compared with `iss` byte by byte: an https URL, or http with a loopback IP
    ///     literal such as `127.0.0.1`.
    ///   - transport: Fetches metadata and keys; `nil` for the transport of the platform.
    /// - Throws: ``/ResourceServer/ResourceServerError`` –
    ///   ``/ResourceServer/ResourceServerError/Code/invalidConfiguration`` if the address cannot be used.
    public init(_ issuer: String, transport: (any HTTPTransport)? = nil) throws(ResourceServerError) {
        guard let uri = try? URI(parsing: issuer), uri.host != nil else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the issuer is a URL such as https://auth.example.com"
            )
        }
        // RFC 8414 sections 2 and 6.1: whoever can change the metadata can name keys of their own, and sign tokens.
        guard uri.isHTTPSOrLoopback else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the issuer must be an https URL; http is allowed only for a loopback address such as http://127.0.0.1:8080"
            )
        }
        self.init(issuer: issuer, keys: IssuerKeys(of: uri, transport: transport ?? PlatformTransport()))
    }
}
