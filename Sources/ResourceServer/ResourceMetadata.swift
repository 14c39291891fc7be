// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

/// The documents by which clients find the authorization server of an API (RFC 9728), one for each of its URLs.
///
/// A client believes a document only when it names, to the last character, the URL that was asked about (section 3.3). So
/// each URL below the address has a document of its own, which differs in that name only.
struct ResourceMetadata: Sendable {
    /// What is longer is not named: it comes from whoever sends the request, and goes into a field of the answer.
    private static let maximumLength = 2048

    private let configuration: GuardConfiguration
    private let published: PublishedMetadata
    /// Where the documents begin: scheme, host and port, to which targets are added.
    private let origin: String
    /// The path of the document about the address itself.
    private let root: String

    /// Makes the documents of an API; `nil` when it publishes none.
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

    /// Where the document about the URL of a request lies: `resource_metadata` of a challenge (section 5.1).
    func address(for request: HTTPRequest) -> String? {
        // A URL without a path is asked for as this.
        if request.target == "/", configuration.address.path.isEmpty { return origin + root }
        return Self.isCanonical(request.target) ? origin + root + request.target : nil
    }

    /// The answer to a request for a document; `nil` when it asks for something else.
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
        document.authorizationServers = [configuration.issuer]
        if !published.scopes.isEmpty { document.scopesSupported = published.scopes.tokens }
        document.resourceName = published.name
        document.dpopSigningAlgValuesSupported = configuration.proofs.algorithms.map(\.rawValue).sorted()
        document.dpopBoundAccessTokensRequired = true
        return document
    }

    /// Whether a target is written in the one way that its URL is named by, without segments that lead upwards.
    private static func isCanonical(_ target: String) -> Bool {
        guard target.hasPrefix("/"), target.utf8.count <= maximumLength else { return false }
        let uri = try? URI(parsing: "https://api" + target)
        return uri?.fragment == nil && (try? uri?.normalized().description) == "https://api" + target
    }
}
