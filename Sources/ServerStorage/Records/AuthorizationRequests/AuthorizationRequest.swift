// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import PKCE
public import StrictJSON

/// An authorization request that passed every check (RFC 6749 section 4.1.1) and needs only the user's decision.
public struct AuthorizationRequest: Sendable, Hashable {
    /// `client_id`.
    public var clientID: String
    /// `redirect_uri`, registered; the exact bytes of the request.
    ///
    /// Empty if there is none: for ``Purpose-swift.enum/userCode``, and for a sign-in without a browser.
    public var redirectURI: String
    /// `scope`: what the client requests, within its registration.
    public var scope: Scope
    /// `state`, returned unchanged.
    public var state: String?
    /// What the user signs in for.
    public var purpose: Purpose = .client
    /// `code_challenge` and its method (RFC 7636 section 4.3).
    public var codeChallenge: CodeChallenge
    /// `dpop_jkt`, or the key of the proof of a pushed request (RFC 9449 section 10).
    public var dpopThumbprint: JWKThumbprint?
    /// The requirements on the user's authentication.
    public var authentication: Authentication
    /// `response_mode`: how the response is sent.
    public var responseMode: ResponseMode
    /// The hash of the device code if a device waits for the decision; no authorization code is then issued (RFC 8628
    /// section 3.3).
    public var deviceCodeHash: SecretHash?
    /// The identifier of the grant that the device code names; see ``StoredDeviceAuthorization/grantID``.
    public var deviceGrantID: String?
    /// `resource`: the APIs for which tokens are requested; empty for the default one (RFC 8707 section 2.1).
    public var resources: [String] = []
    /// `authorization_details` (RFC 9396 section 2).
    public var authorizationDetails: [AuthorizationDetail] = []

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - redirectURI: `redirect_uri`.
    ///   - scope: `scope`.
    ///   - state: `state`.
    ///   - codeChallenge: `code_challenge` and its method.
    ///   - dpopThumbprint: The key that the code will be bound to.
    ///   - authentication: The requirements on the user's authentication.
    ///   - responseMode: How the response is sent.
    public init(
        clientID: String,
        redirectURI: String,
        scope: Scope,
        state: String?,
        codeChallenge: CodeChallenge,
        dpopThumbprint: JWKThumbprint?,
        authentication: Authentication = Authentication(),
        responseMode: ResponseMode = .query
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.state = state
        self.codeChallenge = codeChallenge
        self.dpopThumbprint = dpopThumbprint
        self.authentication = authentication
        self.responseMode = responseMode
    }
}

extension AuthorizationRequest {
    /// The request in its stored form: the parameters under their registered names.
    public var json: JSONObject {
        var object: JSONObject = [
            "client_id": .string(clientID),
            "redirect_uri": .string(redirectURI),
            "scope": .string(scope.description),
            "code_challenge": .string(codeChallenge.value),
            "code_challenge_method": .string(codeChallenge.method.rawValue),
        ]
        if purpose != .client { object["purpose"] = .string(purpose.rawValue) }
        object["state"] = state.map { .string($0) }
        object["dpop_jkt"] = dpopThumbprint.map { .string($0.description) }
        if responseMode != .query { object["response_mode"] = .string(responseMode.rawValue) }
        object["device_code_hash"] = deviceCodeHash.map { .string(Base64URL.encode($0.bytes)) }
        object["device_grant_id"] = deviceGrantID.map { .string($0) }
        if !resources.isEmpty { object["resource"] = .strings(resources) }
        if !authorizationDetails.isEmpty {
            object["authorization_details"] = .array(authorizationDetails.map { .object($0.json) })
        }
        authentication.write(to: &object)
        return object
    }

    /// Reads a stored request.
    ///
    /// - Parameter object: The value of ``json``.
    /// - Throws: ``StorageError`` – ``StorageError/Code/corrupted`` if it is anything else.
    public init(stored object: JSONObject) throws(StorageError) {
        do {
            self.init(
                clientID: try object.requiredString("client_id"),
                redirectURI: try object.requiredString("redirect_uri"),
                scope: try Scope(parsing: object.requiredString("scope")),
                state: try object.optionalString("state"),
                codeChallenge: try CodeChallenge(
                    parsing: object.requiredString("code_challenge"),
                    method: object.optionalString("code_challenge_method")
                ),
                dpopThumbprint: try object.optionalString("dpop_jkt").map { try JWKThumbprint($0) },
                authentication: try Authentication(stored: object),
                responseMode: try ResponseMode(stored: object)
            )
            purpose = try Purpose(stored: object)
            deviceCodeHash = try object.optionalString("device_code_hash")
                .map { SecretHash(stored: try Base64URL.decode($0)) }
            deviceGrantID = try object.optionalString("device_grant_id")
            resources = object["resource"]?.arrayValue?.compactMap(\.stringValue) ?? []
            if let details = object["authorization_details"] {
                authorizationDetails = try AuthorizationDetail.list(parsing: details)
            }
        } catch {
            throw StorageError(.corrupted, "a stored request cannot be read", underlying: error)
        }
    }
}
