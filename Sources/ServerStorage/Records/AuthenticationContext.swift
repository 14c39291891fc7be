// SPDX-License-Identifier: Apache-2.0

package import StrictJSON

/// How a person signed in, as tokens tell it (OpenID Connect Core section 2, RFC 9068 section 2.2.1).
public struct AuthenticationContext: Sendable, Hashable {
    /// `acr`: the name of the way, out of those that the configuration knows; `nil` when it has none.
    public var reference: String?
    /// `amr`: what the person showed, in the names of RFC 8176 section 2.
    public var methods: [String]

    /// Describes a way of signing in.
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
    /// Adds what is known to the claims of a token.
    package func write(to claims: inout JSONObject) {
        claims["acr"] = reference.map { .string($0) }
        if !methods.isEmpty { claims["amr"] = .strings(methods) }
    }
}
