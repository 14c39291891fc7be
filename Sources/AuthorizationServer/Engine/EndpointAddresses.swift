// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import ServerStorage

/// Where each endpoint is: the public URI, and the path that requests for it have.
struct EndpointAddresses: Sendable {
    /// One endpoint.
    struct Address: Sendable {
        let uri: URI
        /// What `htu` of a proof must be.
        let target: TargetURI

        /// The path of requests, as they arrive.
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
    let jwks: Address
    let pushedAuthorization: Address
    let authorization: Address
    let login: Address
    let externalLogin: Address
    let consent: Address
    let token: Address
    let revocation: Address
    let introspection: Address
    let deviceAuthorization: Address
    let deviceVerification: Address
    let registration: Address
    let userInfo: Address
    let endSession: Address
    let endSessionConfirmation: Address

    init(issuer: URI) throws(AuthorizationServerError) {
        let issuerText = issuer.description
        let origin = String(issuerText.dropLast(issuer.path.count))
        // RFC 8414 section 3.1: the well-known part stands between host and path.
        metadata = try Address(origin + "/.well-known/oauth-authorization-server" + issuer.path)
        // OpenID Connect Discovery section 4: there it stands after the path.
        openIDConfiguration = try Address(issuerText + "/.well-known/openid-configuration")
        jwks = try Address(issuerText + "/jwks")
        pushedAuthorization = try Address(issuerText + "/par")
        authorization = try Address(issuerText + "/authorize")
        login = try Address(issuerText + "/login")
        externalLogin = try Address(issuerText + "/login/answer")
        consent = try Address(issuerText + "/consent")
        token = try Address(issuerText + "/token")
        revocation = try Address(issuerText + "/revoke")
        introspection = try Address(issuerText + "/introspect")
        deviceAuthorization = try Address(issuerText + "/device_authorization")
        deviceVerification = try Address(issuerText + "/device")
        registration = try Address(issuerText + "/register")
        userInfo = try Address(issuerText + "/userinfo")
        endSession = try Address(issuerText + "/logout")
        endSessionConfirmation = try Address(issuerText + "/logout/confirm")
    }
}
