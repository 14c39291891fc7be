// SPDX-License-Identifier: Apache-2.0

package import StrictJSON

/// How a user authenticated, as tokens report it (OpenID Connect Core section 2, RFC 9068 section 2.2.1).
public struct AuthenticationContext: Sendable, Hashable {
    /// `acr`: one of the configured contexts; `nil` if the configuration has none.
    public var reference: String?
    /// `amr`: the authentication methods, as named in RFC 8176 section 2.
    public var methods: [String]

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - reference: `acr`.
    ///   - methods: `amr`.
    public init(reference: String? = nil, methods: [String] = []) {
        self.reference = reference
        self.methods = methods
    }
}

extension AuthenticationContext {
    /// Adds the known values to the claims of a token.
    package func write(to claims: inout JSONObject) {
        claims["acr"] = reference.map { .string($0) }
        if !methods.isEmpty { claims["amr"] = .strings(methods) }
    }
}
