// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import ServerStorage

/// The public URI and the request path of each endpoint.
struct EndpointAddresses: Sendable {
    struct Address: Sendable {
        let uri: URI
        /// The value that `htu` of a proof must have.
        let target: TargetURI

        /// The path of requests to this endpoint.
        var path: String { uri.path }

        fileprivate init(_ text: String) throws(AuthorizationServerError) {
            do {
                uri = try URI(parsing: text)
                target = try TargetURI(uri)
            } catch {
                throw AuthorizationServerError(
                    .invalidConfiguration,
                    "the issuer cannot be extended to the address of an endpoint",
                    underlying: error
                )
            }
        }
    }

    let metadata: Address
    let openIDConfiguration: Address
    /// The same document between host and path, where some clients ask first; the same address without a path.
    let insertedOpenIDConfiguration: Address
    let jwks: Address
    let pushedAuthorization: Address
    let authorization: Address
    let authorizationChallenge: Address
    let login: Address
    let externalLogin: Address
    let consent: Address
    let token: Address
    let revocation: Address
    let introspection: Address
    let deviceAuthorization: Address
    let deviceVerification: Address
    let registration: Address
    let challenge: Address
    let userInfo: Address
    let endSession: Address
    let endSessionConfirmation: Address

    init(issuer: URI) throws(AuthorizationServerError) {
        let issuerText = issuer.description
        let origin = String(issuerText.dropLast(issuer.path.count))
        // RFC 8414 section 3.1: the well-known segment is between host and path.
        metadata = try Address(origin + "/.well-known/oauth-authorization-server" + issuer.path)
        // OpenID Connect Discovery section 4: the well-known segment follows the path.
        openIDConfiguration = try Address(issuerText + "/.well-known/openid-configuration")
        // RFC 8414 section 5: clients may transform the address of OpenID Connect in the same way.
        insertedOpenIDConfiguration = try Address(origin + "/.well-known/openid-configuration" + issuer.path)
        jwks = try Address(issuerText + "/jwks")
        pushedAuthorization = try Address(issuerText + "/par")
        authorization = try Address(issuerText + "/authorize")
        authorizationChallenge = try Address(issuerText + "/authorize-challenge")
        login = try Address(issuerText + "/login")
        externalLogin = try Address(issuerText + "/login/answer")
        consent = try Address(issuerText + "/consent")
        token = try Address(issuerText + "/token")
        revocation = try Address(issuerText + "/revoke")
        introspection = try Address(issuerText + "/introspect")
        deviceAuthorization = try Address(issuerText + "/device_authorization")
        deviceVerification = try Address(issuerText + "/device")
        registration = try Address(issuerText + "/register")
        challenge = try Address(issuerText + "/challenge")
        userInfo = try Address(issuerText + "/userinfo")
        endSession = try Address(issuerText + "/logout")
        endSessionConfirmation = try Address(issuerText + "/logout/confirm")
    }
}
