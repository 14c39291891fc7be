// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
import OAuthSystem
import OAuthTransport

/// Finds the authorization server that issues the tokens of an API.
///
/// No token is sent. Only https is used, no redirect is followed, and a document of more than 64 KiB is rejected. The
/// result is what the API claims: the app must decide whether the user should sign in at its authorization server.
///
/// ## Specification
///
/// [RFC 9728](https://www.rfc-editor.org/rfc/rfc9728)
public struct ProtectedResourceDiscovery: Sendable {
    private let transport: any HTTPTransport
    private let policy: URLPolicy

    /// Makes a discovery.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - allowsInsecureHTTPOnLoopback: Whether http is accepted on `127.0.0.1` and `[::1]`: for tests and
    ///     development.
    public init(
        transport: any HTTPTransport,
        allowsInsecureHTTPOnLoopback: Bool = false
    ) {
        self.transport = transport
        policy = URLPolicy(allowsInsecureHTTPOnLoopback: allowsInsecureHTTPOnLoopback)
    }

    /// Makes a discovery that sends its requests with ``/OAuthTransport/PlatformTransport``.
    ///
    /// - Parameter allowsInsecureHTTPOnLoopback: Whether http is accepted on `127.0.0.1` and `[::1]`: for tests and development.
    public init(allowsInsecureHTTPOnLoopback: Bool = false) {
        self.init(transport: PlatformTransport(), allowsInsecureHTTPOnLoopback: allowsInsecureHTTPOnLoopback)
    }

    /// Fetches the metadata of an API from its well-known address.
    ///
    /// If there is none, the client requests the API without a token, and its challenge says where the document is.
    ///
    /// - Parameters:
    ///   - resource: The URL of the API.
    ///   - matching: Whether the document must name exactly this URL, or may name a part of the server that contains it.
    ///     In the latter case the document at the root of the host is asked for too.
    /// - Returns: The metadata.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/unsupportedByServer`` when the API has no metadata,
    ///   ``OAuthClientError/Code/metadataOfAnotherResource``, ``OAuthClientError/Code/malformedResponse``,
    ///   ``OAuthClientError/Code/serverRejected``, ``OAuthClientError/Code/serverUnavailable``,
    ///   ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 9728 §3](https://www.rfc-editor.org/rfc/rfc9728#section-3)
    public func metadata(
        of resource: String,
        matching: ResourceMatching = .identical
    ) async throws(OAuthClientError) -> ProtectedResourceMetadata {
        let uri = try identifier(resource)
        var failure: OAuthClientError?
        for address in try addresses(uri, matching) {
            let response = try await transport.get(address)
            guard !response.meansNoDocument else { continue }
            do throws(OAuthClientError) {
                return try read(response, resource, matching)
            } catch {
                // A document that names another API is a lie or a mistake, and nothing else is tried after it.
                guard matching == .coveringPath, error.code != .metadataOfAnotherResource else { throw error }
                failure = failure.map { $0.code == .serverUnavailable ? $0 : error } ?? error
            }
        }
        let answer = try await transport.get(uri)
        let challenges =
            answer.status == 401 ? try? Challenge.parse(answer.fields.values(for: "WWW-Authenticate")) : nil
        do throws(OAuthClientError) {
            return try await metadata(of: resource, challengedWith: challenges ?? [], matching: matching)
        } catch {
            throw error.code == .unsupportedByServer ? failure ?? error : error
        }
    }

    /// Fetches the metadata of an API from the address in its challenge.
    ///
    /// - Parameters:
    ///   - resource: The URL that the request with the challenge went to; the document must name exactly this one.
    ///   - challenges: The challenges of the response; the first of scheme DPoP or Bearer with `resource_metadata` is
    ///     used.
    ///   - matching: As in ``metadata(of:matching:)``.
    /// - Returns: The metadata.
    /// - Throws: The codes of ``metadata(of:matching:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 9728 §5](https://www.rfc-editor.org/rfc/rfc9728#section-5)
    public func metadata(
        of resource: String,
        challengedWith challenges: [Challenge],
        matching: ResourceMatching = .identical
    ) async throws(OAuthClientError) -> ProtectedResourceMetadata {
        _ = try identifier(resource)
        let text = challenges.lazy.filter { $0.hasScheme("DPoP") || $0.hasScheme("Bearer") }
            .compactMap { $0.value(for: "resource_metadata") }.first
        guard let text else {
            throw OAuthClientError(.unsupportedByServer, "the API does not say where its metadata lies")
        }
        guard let address = try? URI(parsing: text), address.userinfo == nil, address.fragment == nil else {
            throw OAuthClientError(.malformedResponse, "'resource_metadata' of the challenge is not a URL")
        }
        try policy.requireSecure(address, "'resource_metadata' of the challenge")
        return try read(await transport.get(address), resource, matching)
    }

    /// The address of RFC 9728 section 3.1, and that of the whole host if its document may cover the API.
    private func addresses(_ uri: URI, _ matching: ResourceMatching) throws(OAuthClientError) -> [URI] {
        do {
            let own = try WellKnownURI.protectedResourceMetadata(of: uri)
            guard matching == .coveringPath, let origin = uri.origin else { return [own] }
            let root = try WellKnownURI.protectedResourceMetadata(of: URI(parsing: origin))
            return root == own ? [own] : [own, root]
        } catch {
            throw OAuthClientError(.invalidArgument, "no address can be made from the URL", underlying: error)
        }
    }

    private func identifier(_ resource: String) throws(OAuthClientError) -> URI {
        // RFC 9728 section 1.2: no fragment.
        try policy.url(resource, "the identifier of the API")
    }

    private func read(
        _ response: HTTPResponse,
        _ resource: String,
        _ matching: ResourceMatching
    ) throws(OAuthClientError) -> ProtectedResourceMetadata {
        guard response.status == 200 else {
            throw OAuthClientError(rejectedBy: "the metadata address of the API", response)
        }
        let document: ProtectedResourceMetadata
        do {
            document = try ProtectedResourceMetadata(parsing: response.jsonObject())
        } catch {
            throw OAuthClientError(.malformedResponse, "the metadata of the API cannot be read", underlying: error)
        }
        // RFC 9728 section 3.3: if it is not identical, the metadata must not be used.
        guard matching.accepts(document.resource, for: resource) else {
            throw OAuthClientError(
                .metadataOfAnotherResource,
                "the metadata names another API; the URL must be the same to the last character"
            )
        }
        return document
    }
}
