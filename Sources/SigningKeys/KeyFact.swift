// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Something that is known about where a key lives, for people who decide whether they trust it.
public struct KeyFact: Sendable, Hashable, CustomStringConvertible {
    /// What is known, in lower case words: `protection`, `algorithm`, `device`.
    public let name: String
    /// What it is; never a secret.
    public let value: String

    /// Notes a fact.
    ///
    /// - Parameters:
    ///   - name: What is known, in lower case words.
    ///   - value: What it is; never a secret.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Notes octets, as lower case hexadecimal digits.
    init(_ name: String, hexadecimal octets: [UInt8]) {
        self.init(name, octets.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }

    /// What every key says of itself: protection, algorithm and thumbprint (RFC 7638).
    ///
    /// - Parameter key: The key.
    /// - Returns: The facts with which the answer of every store begins.
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
