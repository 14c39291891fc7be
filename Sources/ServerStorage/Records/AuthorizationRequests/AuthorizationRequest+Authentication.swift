// SPDX-License-Identifier: Apache-2.0

import JOSE
package import StrictJSON

extension AuthorizationRequest {
    /// The requirements of an authorization request on the user's authentication; none unless set.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect Core §3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
    public struct Authentication: Sendable, Hashable {
        /// A page that must be shown even if it is not needed.
        public enum Prompt: String, Sendable, CaseIterable {
            /// No page may be shown.
            case noPage = "none"
            /// The user must sign in again.
            case login
            /// The user must consent, even after an earlier consent.
            case consent
            /// The user must choose an account: the consent page names the current one and lets the user switch.
            case selectAccount = "select_account"
        }

        /// `nonce`, for the id_token; at most 2048 bytes.
        public var nonce: String?
        /// `max_age`: the maximum time since the user authenticated; zero requires a new login.
        public var maxAge: Duration?
        /// `prompt`.
        public var prompts: Set<Prompt> = []
        /// `acr_values`: the acceptable contexts, limited to those that the server knows; empty for any.
        public var contexts: [String] = []
        /// `login_hint`: the user name for the login form; at most 1024 bytes.
        public var loginHint: String?
        /// `sub` of the `id_token_hint`: the user who must sign in.
        public var subject: String?

        /// Makes a value without requirements.
        public init() {}
    }
}

extension AuthorizationRequest.Authentication {
    /// Adds the stored form to the members of a request.
    package func write(to object: inout JSONObject) {
        object["nonce"] = nonce.map { .string($0) }
        object["max_age"] = maxAge.map { .number(JSONNumber($0.components.seconds)) }
        if !prompts.isEmpty { object["prompt"] = .string(prompts.map(\.rawValue).sorted().joined(separator: " ")) }
        if !contexts.isEmpty { object["acr_values"] = .string(contexts.joined(separator: " ")) }
        object["login_hint"] = loginHint.map { .string($0) }
        object["sub"] = subject.map { .string($0) }
    }

    /// Reads the stored form.
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

    /// The values of `prompt`; `nil` if a value is unknown, or if `none` is not the only one.
    package static func prompts(parsing text: String) -> Set<Prompt>? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { Prompt(rawValue: String($0)) }
        let prompts = Set(words.compactMap(\.self))
        guard !words.contains(nil), prompts.count == 1 || !prompts.contains(.noPage) else { return nil }
        return prompts
    }
}
