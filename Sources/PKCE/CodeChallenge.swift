// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// The transformed code verifier that an authorization request carries (RFC 7636 section 4.2).
public struct CodeChallenge: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The value of `code_challenge`: for S256, 43 characters of base64url.
    public let value: String
    /// The value of `code_challenge_method`.
    public let method: CodeChallengeMethod

    init(value: String, method: CodeChallengeMethod) {
        self.value = value
        self.method = method
    }

    /// Reads the challenge of an authorization request.
    ///
    /// - Parameters:
    ///   - value: `code_challenge` as received.
    ///   - method: `code_challenge_method` as received; if absent it means `plain` (section 4.3) and is rejected.
    ///   - methods: The allowed methods; only S256 unless the caller names the other.
    /// - Throws: ``PKCEError`` – ``PKCEError/Code/unsupportedMethod``, ``PKCEError/Code/malformedChallenge``.
    public init(
        parsing value: String,
        method: String?,
        allowing methods: Set<CodeChallengeMethod> = [.s256]
    ) throws(PKCEError) {
        let method = method.map { CodeChallengeMethod(rawValue: $0) } ?? .plainWithoutProtection
        guard methods.contains(method) else {
            throw PKCEError(.unsupportedMethod, "the code challenge method must be \(Self.list(methods))")
        }
        switch method {
        case .s256:
            // Strict decoding: each digest has exactly one challenge.
            guard value.utf8.count == 43, let digest = try? Base64URL.decode(value), digest.count == 32 else {
                throw PKCEError(.malformedChallenge, "an S256 code challenge is 43 characters of base64url")
            }
        case .plainWithoutProtection:
            guard (try? CodeVerifier(value)) != nil else {
                throw PKCEError(.malformedChallenge, "a plain code challenge is 43 to 128 unreserved characters")
            }
        default:
            throw PKCEError(.unsupportedMethod, "the code challenge method is neither S256 nor plain")
        }
        self.value = value
        self.method = method
    }

    /// Checks that a code verifier belongs to this challenge (section 4.6), in constant time.
    ///
    /// - Parameter verifier: `code_verifier` of the token request.
    /// - Throws: ``PKCEError`` – ``PKCEError/Code/mismatch``, ``PKCEError/Code/unsupportedMethod``.
    public func verify(_ verifier: CodeVerifier) throws(PKCEError) {
        let computed = try verifier.challenge(using: method)
        guard computed.value.isIdenticalInConstantTime(to: value) else {
            throw PKCEError(.mismatch, "the code verifier does not belong to the code challenge")
        }
    }

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One challenge.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: CodeChallenge, right: CodeChallenge) -> Bool {
        left.method == right.method && left.value.isIdenticalInConstantTime(to: right.value)
    }

    private static func list(_ methods: Set<CodeChallengeMethod>) -> String {
        methods.map(\.rawValue).sorted().joined(separator: " or ")
    }

    /// The challenge of the method `plain` is the verifier.
    private var printedValue: String { method == .plainWithoutProtection ? "(redacted)" : value }
    /// The method, and the value unless it is the verifier.
    public var description: String { "\(method) \(printedValue)" }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "value": printedValue]) }
}
