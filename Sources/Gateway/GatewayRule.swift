// SPDX-License-Identifier: Apache-2.0

public import ResourceServer

/// What requests of some paths and methods must have.
public struct GatewayRule: Sendable, Hashable {
    /// What a request must have to pass.
    public enum Demand: Sendable, Hashable {
        /// Nothing: everybody may pass.
        case nothing
        /// A token, a proof, and what the requirement says.
        case token(GuardRequirement)
    }

    /// The paths.
    public var path: PathPattern
    /// The methods in capitals; `nil` for every one except CONNECT and TRACE.
    ///
    /// `GET` includes `HEAD`.
    public var methods: Set<String>?
    /// What such requests must have.
    public var demand: Demand

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - path: The paths.
    ///   - methods: The methods in capitals; `nil` for every one except CONNECT and TRACE.
    ///   - demand: What such requests must have.
    /// - Throws: ``GatewayError/Code/invalidRule`` if a method is not a word in capitals, or is CONNECT or TRACE.
    public init(path: PathPattern, methods: Set<String>? = nil, demand: Demand) throws(GatewayError) {
        for method in methods ?? [] where !Self.isMethod(method) {
            throw GatewayError(
                .invalidRule,
                "the methods for '\(path)' must be words such as GET, not CONNECT or TRACE"
            )
        }
        self.path = path
        self.methods = methods
        self.demand = demand
    }

    func matches(_ method: String, _ path: PlainPath, isCaseSensitive: Bool) -> Bool {
        accepts(method) && self.path.matches(path, isCaseSensitive: isCaseSensitive)
    }

    /// Methods are case-sensitive (RFC 9110 section 9.1), but not every framework knows: `get` fits no rule.
    private func accepts(_ method: String) -> Bool {
        guard Self.isMethod(method) else { return false }
        guard let methods else { return true }
        return methods.contains(method) || method == "HEAD" && methods.contains("GET")
    }

    /// Whether every request that another rule fits is also one of this rule.
    func covers(_ other: GatewayRule, isCaseSensitive: Bool) -> Bool {
        path.covers(other.path, isCaseSensitive: isCaseSensitive) && acceptsMethods(of: other)
    }

    /// Whether every method that another rule accepts is also one of this rule.
    func acceptsMethods(of other: GatewayRule) -> Bool {
        guard let methods else { return true }
        guard let others = other.methods else { return false }
        return others.allSatisfy { methods.contains($0) || $0 == "HEAD" && methods.contains("GET") }
    }

    /// Whether some request meets this rule but not another one.
    func isWeaker(than other: GatewayRule) -> Bool {
        guard case .token(let theirs) = other.demand else { return false }
        guard case .token(let mine) = demand else { return true }
        return !mine.includes(theirs)
    }

    /// Whether it fits paths that differ from those of another rule in the end of the last name, with one of its methods.
    func coversEndings(of other: GatewayRule, isCaseSensitive: Bool) -> Bool {
        guard path.coversEndings(of: other.path, isCaseSensitive: isCaseSensitive) else { return false }
        guard let methods, let others = other.methods else { return true }
        return !methods.isDisjoint(with: others)
    }

    /// This rule with another demand too; `nil` if no request can meet both.
    func demanding(also other: Demand) -> GatewayRule? {
        guard case .token(let theirs) = other else { return self }
        var rule = self
        switch demand {
        case .nothing:
            rule.demand = other
        case .token(let mine):
            guard let both = mine.and(theirs) else { return nil }
            rule.demand = .token(both)
        }
        return rule
    }

    /// The most bytes of a method that a rule can fit; the longest registered one has 17 (RFC 4437).
    static let longestMethod = 32

    private static func isMethod(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestMethod && text != "CONNECT" && text != "TRACE"
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
