// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

extension RegistrationPolicy {
    /// Where the keys of a client are that has a metadata document, instead of in the document (RFC 7591 section 2).
    ///
    /// Only at the origin of the document: its owner then vouches for the keys too, and a document makes this server send
    /// no request to somebody else (draft-ietf-oauth-client-id-metadata-document-02 section 8.6).
    ///
    /// - Parameters:
    ///   - metadata: The metadata.
    ///   - clientID: The URL of the document.
    ///   - method: How the client authenticates.
    /// - Returns: The URL; `nil` if the metadata name none, or if no key of the client is ever needed.
    /// - Throws: A failure that says which rule `jwks_uri` breaks, whether or not it is needed.
    func keySetURI(
        _ metadata: ClientMetadata,
        ofDocumentAt clientID: String,
        for method: ClientAuthenticationMethod
    ) throws(ProtocolFailure) -> String? {
        guard origin == .document, let uri = metadata.jwksURI else { return nil }
        guard metadata.jwks == nil else { throw refusal("jwks and jwks_uri are both there: leave one out") }
        let document = try? URI(parsing: clientID)
        // A document without https is one for experiments on this machine.
        guard uri.scheme == "https" || document?.scheme == "http" else { throw refusal("jwks_uri is not https") }
        guard uri.userinfo == nil, uri.fragment == nil, uri.description.utf8.count <= Self.maximumURILength else {
            throw refusal("jwks_uri has user information or a fragment, or is longer than 2048 bytes")
        }
        guard let place = uri.origin, document?.origin?.isIdentical(to: place) ?? false else {
            throw refusal("jwks_uri is not of the same origin (scheme, host and port) as the document")
        }
        return method == .privateKeyJWT ? uri.description : nil
    }
}
