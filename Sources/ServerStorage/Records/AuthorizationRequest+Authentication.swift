// SPDX-License-Identifier: Apache-2.0

import JOSE
package import StrictJSON

extension AuthorizationRequest {
    /// What an authorization request says about the person and their signing in; nothing unless set.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
    public struct Authentication: Sendable, Hashable {
        /// What the person is to be asked, even when that is not needed.
        public enum Prompt: String, Sendable, CaseIterable {
            /// No page may be shown.
            case noPage = "none"
            /// The person signs in anew.
            case login
            /// The person is asked for consent, also when they gave it before.
            case consent
            /// The person chooses an account; the consent page says which one it is, and lets them take another.
            case selectAccount = "select_account"
        }

        /// `nonce`, for the id_token; at most 2048 bytes.
        public var nonce: String?
        /// `max_age`: how long ago the person may have signed in; zero for anew.
        public var maxAge: Duration?
        /// `prompt`.
        public var prompts: Set<Prompt> = []
        /// `acr_values`: the ways to sign in of which one will do, those that exist here; any way when there are none.
        public var contexts: [String] = []
        /// `login_hint`: the name to fill in; at most 1024 bytes.
        public var loginHint: String?
        /// `sub` of the `id_token_hint`: who must sign in.
        public var subject: String?

        /// Says nothing.
        public init() {}
    }
}

extension AuthorizationRequest.Authentication {
    /// Adds what is stored of it to the members of a request.
    package func write(to object: inout JSONObject) {
        object["nonce"] = nonce.map { .string($0) }
        object["max_age"] = maxAge.map { .number(JSONNumber($0.components.seconds)) }
        if !prompts.isEmpty { object["prompt"] = .string(prompts.map(\.rawValue).sorted().joined(separator: " ")) }
        if !contexts.isEmpty { object["acr_values"] = .string(contexts.joined(separator: " ")) }
        object["login_hint"] = loginHint.map { .string($0) }
        object["sub"] = subject.map { .string($0) }
    }

    /// Reads what was stored of it.
    init(stored object: JSONObject) throws {
        nonce = try object.optionalString("nonce")
        if let maxAge = object["max_age"] {
            guard let seconds = maxAge.integerValue else { throw JOSEError(.invalidClaim, "'max_age' is no number") }
            self.maxAge = .seconds(seconds)
        }
        if let text = try object.optionalString("prompt") {
            guard let prompts = Self.prompts(parsing: text) else {
                throw JOSEError(.invalidClaim, "'prompt' is unknown")
            }
            self.prompts = prompts
        }
        contexts = try object.optionalString("acr_values")?.split(separator: " ").map(String.init) ?? []
        loginHint = try object.optionalString("login_hint")
        subject = try object.optionalString("sub")
    }

    /// The values of `prompt`; `nil` when there is one that is unknown, or another beside `none`.
    package static func prompts(parsing text: String) -> Set<Prompt>? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { Prompt(rawValue: String($0)) }
        let prompts = Set(words.compactMap(\.self))
        guard !words.contains(nil), prompts.count == 1 || !prompts.contains(.noPage) else { return nil }
        return prompts
    }
}
