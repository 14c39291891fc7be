// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Gateway
import HTTPMessage
import OAuthCore
import OAuthSystem
import ResourceServer

/// What the configuration file of a gateway says about one API.
struct GatewayAPISettings: Sendable {
    static let known = [
        "address", "audience", "name", "publishMetadata", "rules", "caseSensitivePaths", "encodedSlashes", "semicolons",
        "preflight", "claims", "tokenProfile", "audiences",
    ]
    private static let knownOfRules = [
        "path", "methods", "scope", "anyScope", "claims", "acr", "maxAge", "bearer", "open",
    ]

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
    /// `aud` by the name of the issuer, where it is another one than ``audience``.
    let audiences: [String: String]
    /// Which JWTs of the issuer are access tokens, if there is one issuer only.
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
        audiences = try object.pairs("audiences")
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

    /// `aud` of the tokens of an issuer, if it is another one than that of the API.
    func ownAudience(of issuer: GatewayIssuerSettings) -> String? {
        // A dictionary would take two spellings of one letter for the same.
        audiences.first { $0.key.isIdentical(to: issuer.name) }?.value
    }

    /// The scope of all rules, which the metadata lists.
    var scope: Scope {
        var tokens: Set<String> = []
        for rule in rules {
            guard case .token(let requirement) = rule.demand else { continue }
            for scope in [requirement.scope] + requirement.anyScopes { tokens.formUnion(scope.tokens) }
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
            guard !["scope", "anyScope", "claims", "acr", "maxAge", "bearer"].contains(where: object.has) else {
                throw CommandFailure.usage("\(object.place) is open, so it cannot also require something of the token")
            }
            return .nothing
        }
        return .token(
            GuardRequirement(
                scope: try object.scope("scope"),
                anyScope: try anyScope(object),
                claims: try claims(object),
                contexts: try object.texts("acr") ?? [],
                maximumAge: try object.duration("maxAge"),
                allowsUnboundTokens: try object.flag("bearer") ?? false
            )
        )
    }

    private static func anyScope(_ object: SettingsObject) throws -> Scope {
        guard let words = try object.texts("anyScope") else { return .empty }
        guard let scope = try? Scope(words), !scope.isEmpty else {
            throw object.failure("anyScope", "an array of at least one scope, each one word")
        }
        guard scope.tokens.count == words.count else {
            throw object.failure("anyScope", "an array that has each scope once")
        }
        return scope
    }

    private static func claims(_ object: SettingsObject) throws -> [ClaimRequirement] {
        guard let lists = try object.lists("claims") else { return [] }
        guard !lists.isEmpty else {
            throw object.failure("claims", "an object with at least one claim, such as {\"groups\": [\"admin\"]}")
        }
        var claims: [ClaimRequirement] = []
        for list in lists {
            do throws(ResourceServerError) {
                let claim = try ClaimRequirement(list.name, oneOf: list.texts)
                // `/groups` is `groups`: both must hold, which is hardly what was meant.
                guard !claims.contains(where: { $0.claim == claim.claim }) else {
                    throw ResourceServerError(.invalidConfiguration, "the claim '\(claim.claim)' is listed twice")
                }
                claims.append(claim)
            } catch {
                throw CommandFailure.usage("'claims' of \(object.place): \(SafeText.of(error.reason))")
            }
        }
        return claims
    }
}
#endif
