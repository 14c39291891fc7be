// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import ResourceServer

/// An API behind a gateway, and the rules for its requests.
public struct ProtectedAPI: Sendable {
    /// What happens to a CORS preflight: `OPTIONS` with `Origin` and `Access-Control-Request-Method`, without a token.
    public enum Preflight: Sendable, Hashable {
        /// It passes without an identity, if a rule fits the requested method; the API answers it.
        case pass
        /// It needs a token like any other request.
        case refuse
    }

    /// The public address: scheme, host and, if it is not the usual one, port.
    public let address: URI
    /// Checks tokens and proofs; its address is the same.
    public var requestGuard: RequestGuard
    /// The rules; the first that fits counts, and a request without one is rejected.
    public var rules: [GatewayRule]
    /// Whether `/Notes` is another path than `/notes`; by default it is not, since not every framework tells them apart.
    ///
    /// Open rules tell them apart in any case. A request that fits a rule in other capitals must also meet the later rules
    /// that apply if the API tells capitals apart, in all segments of the path or in some.
    public var isCaseSensitive = false
    /// Whether `%2F` is allowed in paths, as a letter of its segment; dot segments and empty ones beside it are still rejected.
    ///
    /// `/notes/*` then also fits `/notes/1%2Fadmin`, which the API must not read as `/notes/1/admin`.
    public var allowsEncodedSlashes = false
    /// Whether `;` is allowed in paths.
    public var allowsSemicolons = false
    /// What happens to a CORS preflight.
    public var preflight = Preflight.pass
    /// More fields for the API, each with the claim that it holds: a string, a number, a Boolean, or an array of them.
    ///
    /// The names of the fields begin with `X-Keybound-`. A claim is named as in ``/ResourceServer/ClaimName``: with a JSON
    /// Pointer such as `/realm_access/roles` if it is within another one.
    public var claimFields: [String: String] = [:] {
        didSet {
            let sorted = claimFields.sorted { $0.key < $1.key }
            claimSources = sorted.map { (field: $0.key, claim: try? ClaimName($0.value)) }
        }
    }
    /// The same in the order in which they are sent; a configuration with a claim of `nil` is rejected.
    private(set) var claimSources: [(field: String, claim: ClaimName?)] = []

    /// Describes an API.
    ///
    /// - Parameters:
    ///   - address: The public address: https, or http on a loopback address; without path.
    ///   - requestGuard: Checks tokens and proofs for this address.
    ///   - rules: The rules, in order.
    public init(address: URI, requestGuard: RequestGuard, rules: [GatewayRule]) {
        self.address = address
        self.requestGuard = requestGuard
        self.rules = rules
    }

    /// The rule for a request, which is the first that fits; `nil` if there is none.
    ///
    /// Whether the API tells capitals apart is not known, and need not be the same for each segment: routes may be alike in
    /// all capitals, while names in them are not. So an open rule for `/health` must not let `/HEALTH` pass, which may be a
    /// path of the API's `/{name}`. A path that fits a rule in other capitals must also meet each later rule that could
    /// apply instead. A later rule cannot if an earlier one differs from the path in the same segments, or in fewer: where
    /// the API takes the later rule, it takes the earlier one.
    func rule(for method: String, _ path: PlainPath) -> GatewayRule? {
        var result: GatewayRule?
        var earlier: [Set<Int>] = []
        for rule in rules where rule.matches(method, path, isCaseSensitive: tellsCapitalsApart(rule)) {
            let differing = rule.path.segmentsInOtherCapitals(of: path)
            guard !earlier.contains(where: { $0.isSubset(of: differing) }) else { continue }
            if let former = result {
                guard let both = former.demanding(also: rule.demand) else { return nil }
                result = both
            } else {
                result = rule
            }
            guard !differing.isEmpty else { break }
            earlier.append(differing)
        }
        return result
    }

    private func tellsCapitalsApart(_ rule: GatewayRule) -> Bool {
        isCaseSensitive || rule.demand == .nothing
    }

    func plainPath(_ path: some StringProtocol) -> PlainPath? {
        PlainPath(path, except: .init(encodedSlashes: allowsEncodedSlashes, semicolons: allowsSemicolons))
    }

    /// The rules that can never apply, or let more pass than the operator may expect, as sentences.
    ///
    /// - Returns: One sentence for each.
    public func findings() -> [String] {
        var findings: [String] = []
        for (index, rule) in rules.enumerated() {
            // An earlier rule in other capitals does not replace this one: such requests must meet both.
            if let first = rules[..<index].first(where: { $0.covers(rule, isCaseSensitive: true) }) {
                findings.append("the rule for \(rule.path) never applies: the one for \(first.path) comes before it")
            }
            if rule.demand == .nothing, rule.path.isOpenEnded {
                findings.append("everybody may use all paths of \(rule.path)")
            }
            if let finding = ending(of: rule, amid: rules[(index + 1)...]) { findings.append(finding) }
        }
        return findings
    }

    /// Whether a later, weaker rule fits a path such as `/admin.json`, which some frameworks treat as `/admin`.
    ///
    /// - Returns: The finding; `nil` if there is no such rule.
    private func ending(of rule: GatewayRule, amid later: ArraySlice<GatewayRule>) -> String? {
        let fitting = later.filter { $0.coversEndings(of: rule, isCaseSensitive: tellsCapitalsApart($0)) }
        // The first one with all methods of the rule leaves nothing to those behind it.
        let count = fitting.firstIndex { $0.acceptsMethods(of: rule) }.map { $0 + 1 } ?? fitting.count
        guard let wider = fitting.prefix(count).first(where: { $0.isWeaker(than: rule) }) else { return nil }
        let text = rule.path.description
        var path = text.hasSuffix("/**") ? text.dropLast("/**".count) : text[...]
        if path.hasSuffix("/") { path = path.dropLast() }
        return "\(path).json matches the rule for \(wider.path), which demands less than the one for \(text)"
    }
}
