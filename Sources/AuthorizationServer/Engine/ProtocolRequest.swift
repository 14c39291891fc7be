// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import ServerStorage

/// One request to an endpoint of the protocol, and what the checks have established of it so far.
///
/// A check reads what earlier checks put here and adds its own; the table of the endpoint gives the order.
struct ProtocolRequest {
    let http: HTTPRequest
    let address: EndpointAddresses.Address
    let now: Timestamp

    var parameters = FormParameters()
    var client: RegisteredClient? {
        didSet { RequestTrace.current?.clientID = client?.clientID }
    }
    /// What the client authenticated with, to be remembered.
    var assertion: PresentedAssertion?
    /// Registered and belonging to the client: an error may be sent there, or who signed out.
    var redirectURI: String?
    var scope = Scope.empty
    /// The APIs that an authorization request names.
    var resources: [String] = []
    /// What is asked for in more words than a scope has; `nil` when nothing is said of it.
    var authorizationDetails: [AuthorizationDetail]?
    /// What the access token is for.
    var target: AccessTokenTarget?
    var codeChallenge: CodeChallenge?
    var dpopThumbprint: JWKThumbprint?
    var authentication = AuthenticationRequest()
    var responseMode = AuthorizationRequest.ResponseMode.query
    var idTokenHint: IDTokenHint?
    var proof: CheckedProof?
    var code: StoredCode?
    var refreshToken: StoredRefreshToken?
    var device: StoredDeviceAuthorization?
    var exchange: TokenExchange?
    var grant: Grant?
    /// With which a client registers itself.
    var registrationToken: SecretHash?

    init(_ http: HTTPRequest, at address: EndpointAddresses.Address, now: Timestamp) {
        self.http = http
        self.address = address
        self.now = now
    }

    /// The value of a parameter; empty counts as absent, and a repeated one is refused (RFC 6749 section 3.1).
    func parameter(_ name: String) throws(ProtocolFailure) -> String? {
        do {
            return try parameters.value(for: name)
        } catch {
            throw ProtocolFailure(.invalidRequest, "the parameter '\(name)' occurs more than once")
        }
    }

    /// The value of a parameter that must be there.
    func requiredParameter(_ name: String) throws(ProtocolFailure) -> String {
        guard let value = try parameter(name) else {
            throw ProtocolFailure(.invalidRequest, "the parameter '\(name)' is missing")
        }
        return value
    }

    /// What an earlier check of the table has established; a table in the wrong order is an error of the server.
    func established<Value>(_ value: Value?) throws(ProtocolFailure) -> Value {
        guard let value else {
            throw ProtocolFailure(.serverError, "the server checked in the wrong order", status: 500)
        }
        return value
    }
}
