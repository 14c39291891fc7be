// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Gateway
import HTTPMessage
import OAuthCore
import ResourceServer

/// What the configuration file of a gateway says about one API.
struct GatewayAPISettings {
    static let known = [
        "address", "audience", "name", "publishMetadata", "rules", "caseSensitivePaths", "encodedSlashes", "semicolons",
        "preflight", "claims", "tokenProfile",
    ]
    private static let knownOfRules = ["path", "methods", "scope", "acr", "maxAge", "bearer", "open"]

    /// What happens to characters that not every program reads in the same way.
    private enum Treatment: String, CaseIterable {
        case refuse
        case keep
    }

    private enum PreflightWord: String, CaseIterable {
        case pass
        case refuse
    }

    let address: URI
    let audience: String
    let tokenProfile: AccessTokenProfile
    let name: String?
    let isPublished: Bool
    let rules: [GatewayRule]
    private let isCaseSensitive: Bool
    private let allowsEncodedSlashes: Bool
    private let allowsSemicolons: Bool
    private let preflight: ProtectedAPI.Preflight
    let claims: [String: String]

    init(_ object: SettingsObject) throws {
        guard let address = try? URI(parsing: object.requiredText("address")) else {
            throw object.failure("address", "the URL of the API")
        }
        self.address = address
        audience = try object.text("audience") ?? address.description
        tokenProfile = try object.word("tokenProfile", AccessTokenProfile.rfc9068)
        name = try object.text("name")
        isPublished = try object.flag("publishMetadata") ?? true
        isCaseSensitive = try object.flag("caseSensitivePaths") ?? false
        allowsEncodedSlashes = try object.word("encodedSlashes", Treatment.refuse) == .keep
        allowsSemicolons = try object.word("semicolons", Treatment.refuse) == .keep
        preflight = try object.word("preflight", PreflightWord.pass) == .pass ? .pass : .refuse
        claims = try object.pairs("claims")
        rules = try object.objects("rules", known: Self.knownOfRules).map(Self.rule)
    }

    /// The scope of all rules, which the metadata lists.
    var scope: Scope {
        var tokens: Set<String> = []
        for rule in rules {
            if case .token(let requirement) = rule.demand { tokens.formUnion(requirement.scope.tokens) }
        }
        return (try? Scope(tokens.sorted())) ?? .empty
    }

    /// Whether some rule accepts tokens that are bound to no key.
    var acceptsUnboundTokens: Bool {
        rules.contains { rule in
            if case .token(let requirement) = rule.demand { requirement.allowsUnboundTokens ?? false } else { false }
        }
    }

    func api(_ requestGuard: RequestGuard) -> ProtectedAPI {
        var api = ProtectedAPI(address: address, requestGuard: requestGuard, rules: rules)
        api.isCaseSensitive = isCaseSensitive
        api.allowsEncodedSlashes = allowsEncodedSlashes
        api.allowsSemicolons = allowsSemicolons
        api.preflight = preflight
        api.claimFields = claims
        return api
    }

    private static func rule(_ object: SettingsObject) throws -> GatewayRule {
        let demand = try demand(object)
        do {
            return try GatewayRule(
                path: PathPattern(object.requiredText("path")),
                methods: object.texts("methods").map { Set($0) },
                demand: demand
            )
        } catch let error as GatewayError {
            throw CommandFailure.usage("\(object.place): \(error.reason)")
        }
    }

    private static func demand(_ object: SettingsObject) throws -> GatewayRule.Demand {
        if try object.flag("open") ?? false {
            guard !["scope", "acr", "maxAge", "bearer"].contains(where: object.has) else {
                throw CommandFailure.usage("\(object.place) is open, so it cannot also require something of the token")
            }
            return .nothing
        }
        return .token(
            GuardRequirement(
                scope: try object.scope("scope"),
                contexts: try object.texts("acr") ?? [],
                maximumAge: try object.duration("maxAge"),
                allowsUnboundTokens: try object.flag("bearer") ?? false
            )
        )
    }
}
#endif
