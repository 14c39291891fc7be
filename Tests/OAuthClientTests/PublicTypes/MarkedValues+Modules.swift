// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import PKCE
import StrictJSON
import TestSupport
import Testing

@testable import SigningKeys

extension MarkedValues {
    mutating func addMessages() throws {
        let mark = Self.mark
        let fields: HTTPFields = ["Authorization": "DPoP \(mark)", "DPoP-Nonce": mark, "Set-Cookie": mark]
        add(fields, try #require(fields.all.first), HTTPResponse(status: 200, fields: fields, body: Self.bytes))
        add(
            HTTPRequest(
                method: "POST",
                target: "https://auth.example/token?code=\(mark)",
                fields: fields,
                body: Self.bytes
            )
        )
        add(try Credentials.parse("DPoP \(mark)"))
        let form: FormParameters = ["code": mark]
        add(form, try #require(form.all.first))
        let object: JSONObject = [
            "sub": .string(mark), "roles": [.string(mark)], "address": ["street": .string(mark)],
            "phone": .number(JSONNumber(Self.number)), "ok": true, "no": .null,
        ]
        add(object, try #require(object.members.first), JSONNumber(Self.number))
        for member in object.members { add(member.value) }
        add(JSONValue.object(object), try JSONValue(parsing: JSONValue.object(object).encoded()))
        add(StreamedResponse(HTTPResponse(status: 200, fields: fields, body: Self.bytes)))
        let chunks = ResponseChunks(Self.bytes)
        add(chunks, ResponseBytes(chunks), chunks.makeAsyncIterator(), ResponseBytes(chunks).makeAsyncIterator())
        let stream = RequestBodyStream { Self.bytes }
        add(stream, RequestBody.stream(stream, length: nil))
    }

    mutating func addSignatures() async throws {
        let key = try SoftwareSigningKey(generating: .es256)
        hide(key.privateKeyBytes)
        let payload: JSONValue = ["sub": .string(Self.mark), "jti": .string(Self.mark)]
        let token = try await CompactJWS.sign(header: ["typ": "JWT"], payload: payload.encoded(), with: key)
        hide(token: token)
        let message = try CompactJWS(parsing: token)
        add(key, message, SignedToken(message, key: key.publicKey), try JWTClaims(message.payloadObject()))
        add(try ClientSecretKey(secret: Self.bytes, algorithm: .hs256))
        var validation = JWTValidation(type: "JWT", issuer: "https://auth.example", audience: "my-app")
        validation.requiredValues = ["nonce": Self.mark]
        add(validation)
        add(JOSEError(.signingFailed, "a reason", underlying: Foreign()))

        let verifier = try CodeVerifier(Self.longMark)
        add(verifier, try verifier.challenge(using: .plainWithoutProtection))
        add(PKCEError(.mismatch, "a reason", underlying: Foreign()))
    }

    mutating func addProofs() async throws {
        let key = try SoftwareSigningKey(generating: .es256)
        hide(key.privateKeyBytes)
        let secret = DPoPNonceSecret(number: 1, bytes: Array(Self.bytes.prefix(32)))
        let issuer = DPoPNonceIssuer(role: .resourceServer, secrets: [secret])
        let verifier = DPoPProofVerifier(policy: ProofPolicy(nonces: .off), nonces: issuer)
        add(secret, DPoPNonceSecrets([secret]), issuer, verifier, DPoPService(nonces: issuer))

        let clock = FixedClock()
        let context = DPoPContext(key: key, clock: clock)
        let uri = try URI(parsing: "https://api.example/notes?name=\(Self.mark)")
        let first = try await context.proof(method: "GET", uri: uri, accessToken: Self.mark, role: .resourceServer)
        context.learn(from: ["DPoP-Nonce": Self.mark], for: first)
        let proof = try await context.proof(method: "GET", uri: uri, accessToken: Self.mark, role: .resourceServer)
        #expect(proof.nonce == Self.mark)
        hide(token: proof.value)
        add(context, proof, DPoPProofFactory(key: key, clock: clock))
        let expected = ExpectedRequest(method: "GET", targetURI: try TargetURI(uri), accessToken: Self.mark)
        let verified = try verifier.check([proof.value], against: expected, at: clock.now())
        hide(verified.claims.jti, try #require(verified.claims.accessTokenHash))
        add(expected, PresentedProof([proof.value], for: expected), verified, verified.claims)
        add(DPoPError(.signingFailed, "a reason", underlying: Foreign()))
    }

    mutating func addTokens() throws {
        let mark = Self.mark
        add(AccessToken(mark), RefreshToken(mark), AuthorizationCode(mark), ClientSecret(mark))
        add(SecurityToken(mark, type: .accessToken), AdditionalMembers(of: ["instance": .string(mark)]))
        let detail: JSONObject = [
            "type": "payment", "identifier": .string(mark), "locations": [.string(mark)], "iban": .string(mark),
        ]
        add(try AuthorizationDetail(parsing: detail))
        let tokens: JSONObject = [
            "access_token": .string(mark), "token_type": "DPoP", "refresh_token": .string(mark),
            "id_token": .string(mark), "authorization_details": [.object(detail)], "instance": .string(mark),
        ]
        add(try TokenResponse(parsing: tokens))
        let said: JSONObject = [
            "error": "invalid_grant", "error_description": .string(mark),
            "error_uri": .string("https://e.example/\(mark)"),
        ]
        add(try OAuthErrorResponse(parsing: said))
        let body = JSONValue.object(said).encoded()
        let refusal = HTTPResponse(status: 400, fields: ["Content-Type": "application/json"], body: body)
        add(FailedResponse(refusal))
        #expect(FailedResponse(refusal).error?.errorDescription == mark)
        add(try ClientMetadata(parsing: ["software_statement": .string(mark), "secret": .string(mark)]))
        add(OAuthCoreError(.malformedScope, "a reason", underlying: Foreign()))
    }

    mutating func addKeys() async throws {
        let error = KeyStoreError(.deviceFailed, "a reason", underlying: Foreign())
        let alias = try KeyAlias("app")
        add(error, KeyEvent(.made, alias, error: error), WrappedKey(Self.bytes))
        let store = MemoryKeyStore()
        let key = try await store.loadOrGenerate(alias: alias)
        hide(try #require(key as? SoftwareSigningKey).privateKeyBytes)
        let location = KeyLocation("memory", store)
        add(store, location)
        add(KeyManager(hardware: [], software: location, placements: MemoryKeyLocationStore()))
        #if os(Linux)
        let secret = KeyFileSecret.passphrase(Self.bytes)
        add(secret, try KeyFileWrapper(encryptingWith: secret))
        add(try EncryptedFileKeyStore(directory: "/tmp/none", secret: secret), PKCS11PIN.bytes(Self.bytes))
        add(try TPMKeyStore(directory: "/tmp/none", ownerAuthorization: Self.bytes))
        #endif
    }

    #if os(Linux)
    mutating func addTransports() throws {
        var configuration = CurlTransportConfiguration()
        configuration.proxy = "http://me:\(Self.mark)@proxy.example:3128"
        add(configuration, CurlTransport(configuration))
        add(ClientCertificate(certificate: Self.bytes, privateKey: Self.bytes))
    }
    #endif
}
