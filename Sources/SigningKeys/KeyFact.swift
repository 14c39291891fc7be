// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthSystem

/// A fact about a key, for users who decide whether they trust it.
public struct KeyFact: Sendable, Hashable, CustomStringConvertible {
    /// The name of the fact, in lower-case words: `protection`, `algorithm`, `device`.
    public let name: String
    /// The value; never a secret.
    public let value: String

    /// Makes a fact.
    ///
    /// - Parameters:
    ///   - name: The name, in lower-case words.
    ///   - value: The value; never a secret.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Makes a fact from bytes, as lower-case hexadecimal digits.
    init(_ name: String, hexadecimal octets: [UInt8]) {
        self.init(name, octets.hexadecimal)
    }

    /// The facts of every key: protection, algorithm and thumbprint (RFC 7638).
    ///
    /// - Parameter key: The key.
    /// - Returns: The facts that every store lists first.
    public static func common(_ key: any SigningKey) -> [KeyFact] {
        [
            KeyFact("protection", key.protection.description),
            KeyFact("algorithm", key.algorithm.description),
            KeyFact("thumbprint", key.publicKey.thumbprint.description),
        ]
    }

    /// Name and value.
    public var description: String { "\(name): \(value)" }
}
