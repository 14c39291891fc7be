// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import StrictJSON

extension ServerConfiguration {
    /// Adds the settings about requests of clients.
    mutating func addRequests(_ settings: ServerSettings) throws {
        resources = try ProtectedResource.all(settings)
        claims = try ScopeClaims.all(settings)
        authorizationDetailTypes = try AuthorizationDetailType.all(settings)
        requireSignedRequestObject = try settings.flag(.requireSignedRequests)
        requireBoundAuthorizationCodes = try settings.flag(.requireBoundCodes)
        requireDPoP = try !settings.flag(.allowBearerTokens)
        attesters = try TrustedAttester.all(settings)
        firstParty = FirstPartyPolicy(
            isOn: try settings.flag(.firstPartySignIn),
            allowsUnattestedClients: try settings.flag(.allowUnattestedFirstParty),
            sessionLifetime: try settings.duration(.authSessionLifetime, firstParty.sessionLifetime)
        )
        unregisteredClients = try UnregisteredClients(settings, bearerTokensAreAllowed: !requireDPoP)
        if let algorithms = try settings.algorithms(.clientAssertionAlgorithms) {
            clientAssertionAlgorithms = algorithms
        }
        if let text = settings.text(.assertionAudience) {
            guard let audience = AssertionAudience(rawValue: text) else {
                throw CommandFailure.usage(
                    "\(settings.place(of: .assertionAudience)) must be issuer or issuer-or-endpoint"
                )
            }
            assertionAudience = audience
        }
        if let text = settings.text(.errorRedirects) {
            guard let policy = ErrorRedirectPolicy(rawValue: text) else {
                throw CommandFailure.usage("\(settings.place(of: .errorRedirects)) must be signed-in or always")
            }
            errorRedirects = policy
        }
        bindsRefreshTokensOfConfidentialClients = try settings.flag(.bindConfidentialRefreshTokens)
        if let algorithms = try settings.algorithms(.requestObjectAlgorithms) { requestObjectAlgorithms = algorithms }
    }
}

extension ServerSettings {
    /// The accepted signature algorithms; `nil` if not set.
    fileprivate func algorithms(_ setting: Setting) throws -> Set<SignatureAlgorithm>? {
        guard isGiven(setting) else { return nil }
        let names = values(setting)
        let algorithms = names.map { SignatureAlgorithm(rawValue: $0) }
        guard !algorithms.isEmpty, algorithms.allSatisfy(SignatureAlgorithm.all.contains) else {
            throw CommandFailure.usage(
                "\(place(of: setting)) names an unknown signature algorithm",
                hint: "known are \(SignatureAlgorithm.all.map(\.rawValue).sorted().joined(separator: ", "))"
            )
        }
        return Set(algorithms)
    }
}

extension ProtectedResource {
    fileprivate static func all(_ settings: ServerSettings) throws -> [ProtectedResource] {
        let known = ["scopes", "format", "lifetime", "algorithm", "claims"]
        return try DescribedEntry.all(settings, .resources, known: known).map { entry in
            ProtectedResource(
                address: entry.name,
                scopes: try entry.texts("scopes") ?? [],
                tokenFormat: try format(entry),
                accessTokenLifetime: try lifetime(entry),
                signingAlgorithm: try algorithm(entry),
                claims: try entry.texts("claims") ?? []
            )
        }
    }

    private static func format(_ entry: DescribedEntry) throws -> AccessTokenFormat {
        guard let text = try entry.text("format") else { return .jwt }
        guard let format = AccessTokenFormat(rawValue: text) else {
            throw entry.failure("has a format that is neither jwt nor opaque")
        }
        return format
    }

    private static func lifetime(_ entry: DescribedEntry) throws -> Duration? {
        guard let text = try entry.text("lifetime") else { return nil }
        guard let lifetime = DurationText.parse(text) else {
            throw entry.failure("has a lifetime that is not a duration such as \"5m\"")
        }
        return lifetime
    }

    private static func algorithm(_ entry: DescribedEntry) throws -> SignatureAlgorithm? {
        guard let text = try entry.text("algorithm") else { return nil }
        guard let algorithm = signingAlgorithms.first(where: { $0.rawValue == text }) else {
            throw entry.failure("has an algorithm that is neither ES256 nor RS256")
        }
        return algorithm
    }

    /// The algorithms that the server has keys for.
    private static let signingAlgorithms: [SignatureAlgorithm] = [.es256, .rs256]
}

extension ScopeClaims {
    /// The claims about users that scopes release.
    static func all(_ settings: ServerSettings) throws -> [ScopeClaims] {
        try settings.values(.claims).map { text in
            guard let separator = text.firstRange(ofText: "=["),
                let values = try? JSONValue(parsing: Array(text[separator.lowerBound...].dropFirst().utf8)).arrayValue,
                values.allSatisfy({ $0.stringValue != nil })
            else {
                throw CommandFailure.usage(
                    "\(settings.place(of: .claims)) has an entry that is not a scope and a JSON array of names",
                    hint: #"write groups=["groups"]"#
                )
            }
            return ScopeClaims(
                scope: String(text[..<separator.lowerBound]),
                names: values.compactMap(\.stringValue)
            )
        }
    }
}

extension AuthorizationDetailType {
    fileprivate static func all(_ settings: ServerSettings) throws -> [AuthorizationDetailType] {
        try DescribedEntry.all(settings, .authorizationDetails, known: ["text", "fields", "required"]).map { entry in
            let required = try entry.texts("required") ?? []
            let fields = try entry.members("fields").map { member in
                AuthorizationDetailField(
                    name: member.name,
                    isRequired: required.contains(member.name),
                    values: member.value == .null ? nil : try entry.texts(member.value, member.name)
                )
            }
            guard required.allSatisfy({ name in fields.contains { $0.name == name } }) else {
                throw entry.failure("requires a field that it does not have")
            }
            return AuthorizationDetailType(type: entry.name, text: try entry.text("text"), fields: fields)
        }
    }
}
