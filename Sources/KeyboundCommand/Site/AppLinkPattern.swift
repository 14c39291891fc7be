// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthSystem

/// A pattern of `applinks`: `*` for any characters, `?` for one, `$(name)` for what a variable stands for.
struct AppLinkPattern: Sendable, Hashable {
    private enum Element: Sendable, Hashable {
        case any
        case one
        case character(Unicode.Scalar)
        case among([ClosedRange<Unicode.Scalar>])
        case choice([[Element]])
    }

    /// Bounds the cost of checking a file.
    private static let maximumSize = 65_536

    private let elements: [Element]
    private let isCaseSensitive: Bool

    /// Matches everything, as an omitted component does.
    static let everything = AppLinkPattern(elements: [.any], isCaseSensitive: true)

    private init(elements: [Element], isCaseSensitive: Bool) {
        self.elements = elements
        self.isCaseSensitive = isCaseSensitive
    }

    /// Reads a pattern.
    ///
    /// - Parameters:
    ///   - text: The pattern.
    ///   - variables: What the custom variables stand for; `nil` where there are no variables, in the older `paths`.
    ///   - isCaseSensitive: Whether case counts.
    /// - Throws: ``OAuthClientError/Code/malformedResponse`` for an unknown variable, and for what is too long.
    init(_ text: String, variables: [String: [String]]?, isCaseSensitive: Bool) throws(OAuthClientError) {
        var elements: [Element] = []
        var rest = text.unicodeScalars[...]
        var size = 0
        while let scalar = rest.popFirst() {
            if scalar == "$", rest.first == "(", let variables, let end = rest.firstIndex(of: ")") {
                let name = String(rest[rest.index(after: rest.startIndex)..<end])
                let element = try Self.variable(name, variables)
                size += Self.size(of: element)
                elements.append(element)
                rest = rest[rest.index(after: end)...]
            } else {
                elements.append(Self.element(scalar))
                size += 1
            }
            guard size <= Self.maximumSize else {
                throw OAuthClientError(.malformedResponse, "a pattern of applinks is too long")
            }
        }
        self.init(elements: elements, isCaseSensitive: isCaseSensitive)
    }

    /// Whether a path means itself as a pattern; wildcards cannot be escaped.
    static func isLiteral(_ path: String) -> Bool {
        !path.contains("*") && !path.contains(text: "$(")
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return ends(of: elements[...], in: scalars, from: [0]).contains(scalars.count)
    }

    private static func element(_ scalar: Unicode.Scalar) -> Element {
        switch scalar {
        case "*": .any
        case "?": .one
        default: .character(scalar)
        }
    }

    private static func size(of element: Element) -> Int {
        guard case .choice(let choices) = element else { return 1 }
        return choices.reduce(1) { $0 + $1.count }
    }

    private static func variable(_ name: String, _ custom: [String: [String]]) throws(OAuthClientError) -> Element {
        if let values = custom[name] {
            // Wildcards count in values, other variables do not.
            return .choice(values.map { $0.unicodeScalars.map(element) })
        }
        switch name {
        case "alpha": return .among(["A"..."Z", "a"..."z"])
        case "upper": return .among(["A"..."Z"])
        case "lower": return .among(["a"..."z"])
        case "alnum": return .among(["A"..."Z", "a"..."z", "0"..."9"])
        case "digit": return .among(["0"..."9"])
        case "xdigit": return .among(["0"..."9", "A"..."F", "a"..."f"])
        case "lang": return .choice([2, 3].map { Array(repeating: .among(["a"..."z"]), count: $0) })
        case "region":
            return .choice([
                Array(repeating: .among(["A"..."Z"]), count: 2), Array(repeating: .among(["0"..."9"]), count: 3),
            ])
        default: throw OAuthClientError(.malformedResponse, "a pattern of applinks has an unknown variable")
        }
    }

    /// Where a match can end that begins at any of several positions.
    ///
    /// Tracks all at once, so that no pattern takes long.
    private func ends(of elements: ArraySlice<Element>, in text: [Unicode.Scalar], from starts: Set<Int>) -> Set<Int> {
        var places = starts
        for element in elements {
            guard let first = places.min() else { return [] }
            switch element {
            case .any: places = Set(first...text.count)
            case .choice(let choices):
                places = choices.reduce(into: []) { $0.formUnion(ends(of: $1[...], in: text, from: places)) }
            default: places = Set(places.lazy.filter { $0 < text.count && accepts(element, text[$0]) }.map { $0 + 1 })
            }
        }
        return places
    }

    private func accepts(_ element: Element, _ scalar: Unicode.Scalar) -> Bool {
        switch element {
        case .character(let wanted):
            wanted == scalar
                || (!isCaseSensitive && wanted.properties.lowercaseMapping == scalar.properties.lowercaseMapping)
        case .among(let ranges):
            ranges.contains { $0.contains(scalar) || (!isCaseSensitive && $0.contains(Self.otherCase(scalar))) }
        default: true
        }
    }

    private static func otherCase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.properties.isAlphabetic && scalar.isASCII ? Unicode.Scalar(UInt8(scalar.value) ^ 0x20) : scalar
    }
}
