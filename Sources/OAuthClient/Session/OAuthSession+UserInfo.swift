// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON

extension OAuthSession {
    /// In bytes.
    private static let maximumUserInfoSize = 65_536

    /// Requests the claims about the signed-in user, like every call of ``send(_:body:maximumBodySize:timeout:)``.
    ///
    /// The response must be about the user of the id_token. A signed response is validated too: algorithm and
    /// signature, and issuer and audience if they are present.
    ///
    /// - Returns: The claims of the response, 64 KiB at most.
    /// - Throws: ``OAuthClientError/Code/userInfoRejected`` if it is about another user or its signature is invalid;
    ///   ``OAuthClientError/Code/invalidArgument`` without an id_token: sign in with the scope `openid`;
    ///   ``OAuthClientError/Code/unsupportedByServer`` without a userinfo endpoint;
    ///   ``OAuthClientError/Code/insufficientScope``, ``OAuthClientError/Code/clientCertificateMissing``,
    ///   ``OAuthClientError/Code/serverRejected``,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/malformedResponse``; and the codes of
    ///   ``send(_:body:maximumBodySize:timeout:)``.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
    public func userInfo() async throws(OAuthClientError) -> UserInfo {
        let tokens = try await tokenManager.fetch()
        guard let subject = tokens.idToken?.subject else {
            throw OAuthClientError(
                .invalidArgument,
                "the session has no id_token to compare the answer with; sign in with the scope openid"
            )
        }
        let response = try await askForUserInfo()
        guard response.status == 200 else { throw Self.refusal(response) }
        let claims = try await userInfoClaims(response)
        // OpenID Connect Core section 5.3.4: prevents token substitution attacks.
        guard let received = claims["sub"]?.stringValue, received.isIdentical(to: subject) else {
            throw OAuthClientError(.userInfoRejected, "the answer about the user is not about the user of the id_token")
        }
        return UserInfo(subject: received, claims: claims)
    }

    private func askForUserInfo() async throws(OAuthClientError) -> HTTPResponse {
        let metadata = try await client.currentMetadata()
        // A token that is bound to the certificate needs a connection with it (RFC 8705 sections 3 and 5).
        let endpoint = try client.address(of: metadata.userinfoEndpoint, named: "userinfo_endpoint", in: metadata)
        let request = HTTPRequest(
            target: endpoint.description,
            fields: ["Accept": "application/json, application/jwt"]
        )
        let call = try ProtectedCall(request, body: .inMemory, timeout: nil, client.urlPolicy, purpose: .userInfo)
        // Also in a limited session: a token for some APIs is not for the server.
        let exchange = ProtectedExchange(client: client, tokenSource: AccessTokenSource(manager: tokenManager))
        let response = try await exchange.run(call).response
        let limit = Self.maximumUserInfoSize
        let body = try await response.body.chunks.whole(
            atMost: limit,
            orThrow: OAuthClientError(.malformedResponse, "the answer is longer than \(limit) bytes")
        )
        return HTTPResponse(status: response.status, fields: response.fields, body: body)
    }

    /// The endpoint reports errors in a challenge, like an API (RFC 6750 section 3).
    private static func refusal(_ response: HTTPResponse) -> OAuthClientError {
        if let challenge = ScopeChallenge(status: response.status, response.fields) {
            return OAuthClientError(scope: challenge)
        }
        guard response.status == 401 || response.status == 403 else {
            return OAuthClientError(rejectedBy: "the server, asked about the user,", response)
        }
        let reason =
            response.status == 401
            ? "the server rejected the access token when it was asked about the user; a token that was requested for "
                + "certain APIs (resources) may not be for the server itself"
            : "the server, asked about the user, refused"
        return OAuthClientError(
            .serverRejected,
            reason,
            failedResponse: FailedResponse(response)
        )
    }

    private func userInfoClaims(_ response: HTTPResponse) async throws(OAuthClientError) -> JSONObject {
        guard response.fields.hasMediaType("application/jwt") else {
            do {
                return try response.jsonObject()
            } catch {
                throw OAuthClientError(
                    .malformedResponse,
                    "the answer about the user cannot be read",
                    underlying: error
                )
            }
        }
        do {
            let text = String(decoding: response.body, as: UTF8.self)
            return try await client.claims(ofSignedResponse: text, .userInfo)
        } catch let error as JOSEError {
            throw OAuthClientError(
                .userInfoRejected,
                "the answer about the user is rejected: \(error.reason)",
                underlying: error
            )
        } catch {
            throw OAuthClientError(error, otherwise: .serverUnavailable, "the keys of the server are not available")
        }
    }
}
