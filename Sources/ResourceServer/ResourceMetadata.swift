// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

/// The documents with which clients find the authorization server of an API (RFC 9728), one for each of its URLs.
///
/// A client accepts a document only if it names exactly the requested URL (section 3.3). So each URL below the address
/// has its own document, which differs only in that name.
struct ResourceMetadata: Sendable {
    /// The longest URL that is named, in bytes: it comes from an untrusted request, and is repeated in a response
    /// field.
    private static let maximumLength = 2048

    private let configuration: GuardConfiguration
    private let published: PublishedMetadata
    /// Scheme, host and port of the documents, to which targets are appended.
    private let origin: String
    /// The path of the document about the address itself.
    private let root: String

    /// Makes the documents of an API; `nil` if it publishes none.
    init?(_ configuration: GuardConfiguration) {
        guard let published = configuration.metadata, let origin = configuration.address.origin,
            let root = try? WellKnownURI.protectedResourceMetadata(of: configuration.address).path
        else { return nil }
        self.configuration = configuration
        self.published = published
        self.origin = origin
        self.root = root
    }

    /// The document about the address of the API.
    var document: ProtectedResourceMetadata {
        document(about: configuration.address.description)
    }

    /// The address of the document about the URL of a request: `resource_metadata` of a challenge (section 5.1).
    func address(for request: HTTPRequest) -> String? {
        // A client requests a URL without a path with this target.
        if request.target == "/", configuration.address.path.isEmpty { return origin + root }
        return Self.isCanonical(request.target) ? origin + root + request.target : nil
    }

    /// The response to a request for a document; `nil` if the request is for something else.
    func response(to request: HTTPRequest) -> HTTPResponse? {
        guard request.path.hasPrefix(root) else { return nil }
        let rest = String(request.target.dropFirst(root.count))
        guard rest.isEmpty || Self.isCanonical(rest) else { return nil }
        guard ["GET", "HEAD"].contains(request.method) else {
            return HTTPResponse(status: 405, fields: ["Allow": "GET, HEAD", "Cache-Control": "no-store"])
        }
        return HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": "application/json", "Cache-Control": "public, max-age=300",
                "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
            ],
            body: JSONValue.object(document(about: configuration.address.description + rest).json).encoded()
        )
    }

    private func document(about resource: String) -> ProtectedResourceMetadata {
        var document = ProtectedResourceMetadata(resource: resource)
        document.authorizationServers = configuration.issuers
        if !published.scopes.isEmpty { document.scopesSupported = published.scopes.tokens }
        document.resourceName = published.name
        document.dpopSigningAlgValuesSupported = configuration.proofs.algorithms.map(\.rawValue).sorted()
        // Section 2: whether the API always requires them.
        document.dpopBoundAccessTokensRequired =
            !configuration.acceptsTokensThatAreBoundToNothing && !published.hasRoutesForUnboundTokens
        return document
    }

    /// Whether a target is in the normalized form of its URL, without `..` segments.
    private static func isCanonical(_ target: String) -> Bool {
        guard target.hasPrefix("/"), target.utf8.count <= maximumLength else { return false }
        let uri = try? URI(parsing: "https://api" + target)
        return uri?.fragment == nil && (try? uri?.normalized().description) == "https://api" + target
    }
}
