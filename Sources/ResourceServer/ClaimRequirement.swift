// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// A claim that an access token must have, with one of some values.
public struct ClaimRequirement: Sendable, Hashable, CustomStringConvertible {
    /// The claim.
    public let claim: ClaimName
    /// The values of which the token must have one, compared byte by byte.
    public let values: [String]

    /// Makes a requirement.
    ///
    /// The claim must be one of the values, or an array of strings that contains one of them. Only strings are compared: a
    /// number, a Boolean, an object, or an array with anything but strings does not match.
    ///
    /// - Parameters:
    ///   - claim: The name of the claim, or a JSON Pointer such as `/realm_access/roles`; see ``ClaimName``.
    ///   - values: The values of which the token must have one.
    /// - Throws: ``ResourceServerError`` – ``ResourceServerError/Code/invalidConfiguration`` for a name that ``ClaimName``
    ///   does not read, without a value, or if a value occurs twice.
    public init(_ claim: String, oneOf values: [String]) throws(ResourceServerError) {
        self.claim = try ClaimName(claim)
        guard !values.isEmpty else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the claim '\(claim)' has no values: list at least one that the token may have"
            )
        }
        for (index, value) in values.enumerated() where values[..<index].contains(where: { $0.isIdentical(to: value) })
        {
            throw ResourceServerError(.invalidConfiguration, "the claim '\(claim)' has the value '\(value)' twice")
        }
        self.values = values
    }

    /// The claim and its values, such as `groups = admin or staff`.
    public var description: String { "\(claim) = \(values.joined(separator: " or "))" }

    /// Whether each token that meets this requirement also meets another one.
    package func implies(_ other: ClaimRequirement) -> Bool {
        claim == other.claim && values.allSatisfy(other.isListed)
    }

    func isMet(by value: JSONValue?) -> Bool {
        switch value {
        case .string(let text)?:
            return isListed(text)
        case .array(let elements)?:
            let texts = elements.compactMap(\.stringValue)
            return texts.count == elements.count && texts.contains(where: isListed)
        default:
            return false
        }
    }

    private func isListed(_ text: String) -> Bool {
        values.contains { $0.isIdentical(to: text) }
    }
}
