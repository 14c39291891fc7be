// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON

/// The requested access, checked: scope, resources (RFC 8707), authorization details (RFC 9396).
struct RequestedAccess: Sendable {
    let scope: Scope
    let resources: [String]
    let authorizationDetails: [AuthorizationDetail]
    /// Whether the response must say which authorization details were granted.
    var expectsDetails: Bool
    /// What was granted before; it remains valid if the response says nothing new.
    var earlierDetails: [AuthorizationDetail]?

    private let encodedDetails: String?

    private static let maximumResourceCount = 32

    init(
        scope: Scope = .empty,
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = []
    ) throws(OAuthClientError) {
        try Self.check(resources)
        self.scope = scope
        self.resources = resources
        self.authorizationDetails = authorizationDetails
        expectsDetails = !authorizationDetails.isEmpty
        encodedDetails = try Self.encode(authorizationDetails)
    }

    /// The parameters of a request that starts a grant.
    func append(to form: inout FormParameters) {
        if !scope.isEmpty { form.append("scope", scope.description) }
        appendTarget(to: &form)
    }

    /// The parameters without the scope, for a request that continues a grant.
    func appendTarget(to form: inout FormParameters) {
        for resource in resources { form.append("resource", resource) }
        if let encodedDetails { form.append("authorization_details", encodedDetails) }
    }

    /// Checks that the server supports the types, as far as its metadata says (RFC 9396 section 10).
    func requireSupport(by metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        guard let types = metadata.authorizationDetailsTypesSupported else { return }
        guard authorizationDetails.allSatisfy({ detail in types.contains { $0.isIdentical(to: detail.type) } }) else {
            throw OAuthClientError(.unsupportedByServer, "the server does not know a type of the authorization details")
        }
    }

    /// The granted authorization details; `nil` if neither side sent any.
    ///
    /// The server may grant less than requested, or more: it fills in what the user chose (RFC 9396 section 7.1).
    func grantedDetails(_ answer: TokenResponse) throws(OAuthClientError) -> [AuthorizationDetail]? {
        if let granted = answer.authorizationDetails { return granted }
        guard !expectsDetails else {
            // A server that does not know the parameter ignores it, and the tokens are for something else.
            throw OAuthClientError(
                .malformedResponse,
                "the token response does not say which of the authorization details were granted; it was thrown away"
            )
        }
        return earlierDetails
    }

    /// RFC 8707 section 2: absolute, without a fragment.
    private static func check(_ resources: [String]) throws(OAuthClientError) {
        guard resources.count <= maximumResourceCount else {
            throw OAuthClientError(.invalidArgument, "there are more than \(maximumResourceCount) resources")
        }
        for resource in resources {
            guard let uri = try? URI(parsing: resource), uri.fragment == nil else {
                throw OAuthClientError(.invalidArgument, "a resource is not an absolute URI without a fragment")
            }
        }
    }

    private static func encode(_ details: [AuthorizationDetail]) throws(OAuthClientError) -> String? {
        guard !details.isEmpty else { return nil }
        do {
            return String(decoding: try AuthorizationDetail.json(details).encoded(), as: UTF8.self)
        } catch {
            throw OAuthClientError(.invalidArgument, error.reason, underlying: error)
        }
    }
}
