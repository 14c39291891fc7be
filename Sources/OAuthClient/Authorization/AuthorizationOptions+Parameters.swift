// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import StrictJSON

extension AuthorizationOptions {
    /// The maximum length of a list or a text, in bytes: the request may have to go through a browser.
    private static let maximumListLength = 2048
    private static let maximumTextLength = 1024
    private static let maximumClaimsLength = 8192
    /// 317 years: more than any server supports.
    private static let maximumAge = Duration.seconds(9_999_999_999)

    /// The parameters that have a property, checked.
    ///
    /// - Throws: ``OAuthClientError/Code/invalidArgument``.
    func typedParameters() throws(OAuthClientError) -> FormParameters {
        try checkPrompts()
        let values = [
            ("acr_values", try Self.list(acrValues, "acr_values")),
            ("max_age", try Self.seconds(maxAge)),
            ("prompt", try Self.list(prompts.map(\.rawValue), "prompt")),
            ("login_hint", try Self.text(loginHint, "login_hint")),
            ("ui_locales", try Self.list(uiLocales, "ui_locales")),
            ("display", try Self.list([display].compactMap { $0?.rawValue }, "display")),
            ("claims", try claimsText()),
            ("id_token_hint", idTokenHint?.rawValue),
        ]
        var parameters = FormParameters()
        for case (let name, let value?) in values { parameters.append(name, value) }
        for parameter in additionalParameters.all where !parameters.values(for: parameter.name).isEmpty {
            throw OAuthClientError(
                .invalidArgument,
                "'\(parameter.name)' is set twice: by its own name and as a further parameter"
            )
        }
        return parameters
    }

    /// The subject of the user who must sign in.
    ///
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` if the options name two users.
    func requiredSubject() throws(OAuthClientError) -> String? {
        let named = [expectedSubject, idTokenHint?.subject, claims?.requiredSubject].compactMap(\.self)
        guard let subject = named.first else { return nil }
        guard named.allSatisfy({ $0.isIdentical(to: subject) }) else {
            throw OAuthClientError(
                .invalidArgument,
                "the account, the id_token_hint and the claim 'sub' do not name the same user"
            )
        }
        return subject
    }

    /// OpenID Connect Core section 3.1.2.1: `none` together with any other value is an error.
    private func checkPrompts() throws(OAuthClientError) {
        if prompts.contains(.none), prompts.count > 1 {
            throw OAuthClientError(.invalidArgument, "the prompt 'none' goes with no other")
        }
    }

    private func claimsText() throws(OAuthClientError) -> String? {
        guard let claims else { return nil }
        let bytes = JSONValue.object(claims.json).encoded()
        guard !claims.json.members.isEmpty, bytes.count <= Self.maximumClaimsLength else {
            throw OAuthClientError(
                .invalidArgument,
                "'claims' is empty, or longer than \(Self.maximumClaimsLength) bytes"
            )
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Joins words with spaces; `nil` when there are none.
    private static func list(_ words: [String], _ name: String) throws(OAuthClientError) -> String? {
        guard !words.isEmpty else { return nil }
        let text = words.joined(separator: " ")
        let areWords = words.allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        guard areWords, text.utf8.count <= maximumListLength else {
            throw OAuthClientError(
                .invalidArgument,
                "'\(name)' takes visible ASCII without spaces, \(maximumListLength) characters at most"
            )
        }
        return text
    }

    private static func text(_ text: String?, _ name: String) throws(OAuthClientError) -> String? {
        guard let text else { return nil }
        guard !text.isEmpty, text.utf8.count <= maximumTextLength,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw OAuthClientError(
                .invalidArgument,
                "'\(name)' takes a text of \(maximumTextLength) bytes at most, without control characters"
            )
        }
        return text
    }

    private static func seconds(_ age: Duration?) throws(OAuthClientError) -> String? {
        guard let age else { return nil }
        guard age >= .zero, age <= maximumAge, age.components.attoseconds == 0 else {
            throw OAuthClientError(.invalidArgument, "'max_age' is a number of whole seconds, not negative")
        }
        return "\(age.components.seconds)"
    }
}
