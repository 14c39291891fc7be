// SPDX-License-Identifier: Apache-2.0

/// One thing that is fuzzed: what it does with an input, and how inputs are made of parts.
public struct FuzzTarget: Sendable {
    /// The name, also that of the corpus and the dictionary.
    public let name: String
    /// Looks at one input and reports a finding when a property does not hold.
    public let run: @Sendable ([UInt8]) -> Void
    /// What an input encodes, for a mutator that changes what is inside; `nil` when it does not decode.
    public let parts: @Sendable ([UInt8]) -> [[UInt8]]?
    /// The input that encodes these parts.
    public let join: @Sendable ([[UInt8]]) -> [UInt8]

    init(
        _ name: String,
        parts: @escaping @Sendable ([UInt8]) -> [[UInt8]]? = { _ in nil },
        join: @escaping @Sendable ([[UInt8]]) -> [UInt8] = { $0.flatMap { $0 } },
        _ run: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.name = name
        self.parts = parts
        self.join = join
        self.run = run
    }

    /// Every target.
    public static let all: [FuzzTarget] = [
        base64url, json, jsonEmission, jwk, jwkSet, jws, jwt, proof, signedProof, form, uri, redirect, challenge, http,
        oauth,
    ]
}
