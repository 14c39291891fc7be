// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// Fetches the metadata of a server (RFC 8414 section 3, OpenID Connect Discovery section 4).
struct MetadataDiscovery: Sendable {
    /// A document, and what its response says about it.
    struct Document: Sendable {
        let metadata: AuthorizationServerMetadata
        /// The number of the address that it came from.
        let address: Int
        /// How long it may be used, between five minutes and a day.
        let lifetime: Duration
    }

    /// The issuer identifier, as passed to the initializer.
    let issuer: String
    let uri: URI
    let transport: any HTTPTransport
    /// Asks once more after a failure that may pass; `nil` to ask once.
    var repeater: RequestRepeater?

    /// Fetches the document, once more after a failure that may pass.
    ///
    /// - Parameters:
    ///   - known: The number of the address that had the document the last time; it is asked first.
    ///   - isPatient: Whether to ask again after a failure.
    /// - Returns: The document, and where it was.
    /// - Throws: The failure of the address that says most about the server.
    func fetch(startingAt known: Int? = nil, isPatient: Bool = true) async throws(OAuthClientError) -> Document {
        var attempt = RequestAttempt(.metadata)
        do {
            return try await search(startingAt: known, attempt)
        } catch {
            guard isPatient, let repeater, let pause = repeater.pause(.harmless, after: error) else { throw error }
            try await repeater.sleep(pause)
        }
        attempt.repeats(because: .unavailable)
        return try await search(startingAt: known, attempt)
    }

    /// Asks each address until one has a document of this issuer.
    ///
    /// Apps of one page answer 200 with HTML at every address, and servers of several tenants answer with documents of
    /// another tenant: only a document that names this issuer, to the last character, ends the search.
    ///
    /// - Parameters:
    ///   - known: The number of the address that is asked first.
    ///   - attempt: How often the document was asked for.
    /// - Returns: The document, and where it was.
    /// - Throws: The failure of the address that says most about the server.
    private func search(startingAt known: Int?, _ attempt: RequestAttempt) async throws(OAuthClientError) -> Document {
        let addresses = try addresses()
        var order = Array(addresses.indices)
        if let known, let position = order.firstIndex(of: known) { order.insert(order.remove(at: position), at: 0) }
        var failure: OAuthClientError?
        for number in order {
            do throws(OAuthClientError) {
                let response = try await transport.get(addresses[number], attempt)
                return Document(
                    metadata: try read(response),
                    address: number,
                    lifetime: Self.lifetime(response.fields["Cache-Control"])
                )
            } catch {
                // A connection that fails would fail for the other addresses too: they are of the same host.
                guard !error.isOfConnection else { throw error }
                failure = Self.moreTelling(failure, error)
            }
        }
        throw failure ?? OAuthClientError(.invalidArgument, "the issuer is not one that metadata can be asked of")
    }

    private func addresses() throws(OAuthClientError) -> [URI] {
        do {
            return try WellKnownURI.metadataLocations(of: uri)
        } catch {
            throw OAuthClientError(
                .invalidArgument,
                "the issuer is not one that metadata can be asked of",
                underlying: error
            )
        }
    }

    private func read(_ response: HTTPResponse) throws(OAuthClientError) -> AuthorizationServerMetadata {
        guard response.status == 200 else { throw OAuthClientError(rejectedBy: "the metadata address", response) }
        let document: AuthorizationServerMetadata
        do {
            document = try AuthorizationServerMetadata(parsing: response.jsonObject())
        } catch {
            throw OAuthClientError(.malformedResponse, "the metadata cannot be read", underlying: error)
        }
        // RFC 8414 section 3.3: identical, including a trailing slash.
        guard document.issuer.isIdentical(to: issuer) else {
            throw OAuthClientError(
                .metadataOfAnotherIssuer,
                "the metadata names another issuer; the issuer must be the same to the last character"
            )
        }
        return document
    }

    /// A server that is down may have the document; then a wrong document says more than a missing one.
    private static func moreTelling(_ first: OAuthClientError?, _ second: OAuthClientError) -> OAuthClientError {
        guard let first else { return second }
        func rank(_ error: OAuthClientError) -> Int {
            switch error.code {
            case .serverUnavailable: 3
            case .metadataOfAnotherIssuer: 2
            default: error.status == 404 ? 0 : 1
            }
        }
        return rank(second) > rank(first) ? second : first
    }

    /// `max-age` of a response, in bounds; an hour without it.
    private static func lifetime(_ cacheControl: String?) -> Duration {
        let directives = (cacheControl ?? "").lowercased().split(separator: ",").map { directive in
            String(directive.filter { $0 != " " && $0 != "\t" && $0 != "\"" })
        }
        if directives.contains("no-store") || directives.contains("no-cache") { return .seconds(300) }
        let value = directives.first { $0.hasPrefix("max-age=") }?.dropFirst("max-age=".count)
        guard let seconds = value.flatMap({ Int64($0) }), seconds >= 0 else { return .seconds(3600) }
        return .seconds(min(max(seconds, 300), 86_400))
    }
}

extension OAuthClientError {
    /// Whether no response arrived, not even one that cannot be read.
    fileprivate var isOfConnection: Bool {
        switch code {
        case .transportFailed: !((underlying as? OAuthCoreError)?.underlying is UnreadableResponse)
        case .cancelled, .invalidArgument: true
        default: false
        }
    }
}
