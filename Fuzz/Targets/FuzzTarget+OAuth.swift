// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import PKCE
import StrictJSON

extension FuzzTarget {
    /// Answers of servers and the texts of PKCE: what is read reads as it was when it is written.
    static let oauth = FuzzTarget("oauth") { input in
        let text = String(decoding: input, as: UTF8.self)
        if let object = (try? JSONValue(parsing: input))?.objectValue, object.members.count <= 64 {
            checkAnswers(object)
        }
        if let scope = try? Scope(parsing: text) {
            Finding.unless((try? Scope(parsing: scope.description)) == scope, "a scope reads otherwise")
            Finding.unless(Set(scope.tokens).count == scope.tokens.count, "a scope repeats a token")
        }
        if let uri = try? URI(parsing: text) { checkWellKnown(uri) }
        checkVerifier(text)
    }

    private static func checkAnswers(_ object: JSONObject) {
        if let token = try? TokenResponse(parsing: object) {
            Finding.unless((try? TokenResponse(parsing: token.json)) == token, "a token response reads otherwise")
            let seconds = token.expiresIn?.components.seconds ?? 0
            Finding.unless(seconds >= 0 && seconds <= 315_360_000, "a lifetime of \(seconds) seconds")
        }
        if let error = try? OAuthErrorResponse(parsing: object) {
            Finding.unless((try? OAuthErrorResponse(parsing: error.json)) == error, "an error reads otherwise")
            Finding.unless(
                (try? OAuthErrorResponse(parsing: error.parameters)) == error,
                "as a form it reads otherwise"
            )
        }
        if let metadata = try? AuthorizationServerMetadata(parsing: object) {
            let again = try? AuthorizationServerMetadata(parsing: metadata.json)
            Finding.unless(again == metadata, "metadata reads otherwise")
        }
    }

    private static func checkWellKnown(_ issuer: URI) {
        let addresses = [
            try? WellKnownURI.authorizationServerMetadata(of: issuer),
            try? WellKnownURI.openIDConfiguration(of: issuer),
        ]
        for uri in addresses.compactMap(\.self) {
            Finding.unless(
                uri.origin == issuer.origin && uri.host == issuer.host && uri.port == issuer.port && uri.query == nil,
                "the metadata is somewhere else: \(uri)"
            )
        }
    }

    private static func checkVerifier(_ text: String) {
        if let verifier = try? CodeVerifier(text) {
            Finding.unless(
                (try? verifier.s256Challenge.verify(verifier)) != nil,
                "a verifier does not fit its challenge"
            )
            Finding.unless((43...128).contains(text.utf8.count), "a verifier of \(text.utf8.count) characters")
        }
        if let challenge = try? CodeChallenge(parsing: text, method: "S256") {
            Finding.unless((try? Base64URL.decode(challenge.value))?.count == 32, "a challenge that is no digest")
            let isOpen = (try? CodeVerifier(text)).map { (try? challenge.verify($0)) != nil } ?? false
            Finding.unless(!isOpen, "a challenge that is its own verifier")
        }
    }
}
