// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthSystem
import ResourceServer

/// What the configuration file of a gateway says about one issuer.
struct GatewayIssuerSettings: Sendable {
    private static let known = ["issuer", "jwksURI", "tokenAlgorithms", "tokenProfile"]
    private static let list =
        "an array of issuers: their URLs, or objects such as {\"issuer\": \"https://auth.example.com\"}"

    let issuer: URI
    let jwksURI: URI?
    let tokenAlgorithms: Set<SignatureAlgorithm>
    /// `nil` for that of each API, with `issuer`.
    let tokenProfile: AccessTokenProfile?

    /// `iss` of its tokens.
    var name: String { issuer.description }

    /// Reads `issuer`, and what the file says about it beside it.
    init(single object: SettingsObject, allowsHTTP: Bool) throws {
        guard object.has("issuer") else {
            throw CommandFailure.usage(
                "\(object.place) has neither 'issuer' nor 'issuers'",
                hint: "\"issuer\": \"https://auth.example.com\""
            )
        }
        try self.init(object, allowsHTTP: allowsHTTP, tokenProfile: nil)
    }

    /// Reads `issuers`; `nil` if there is only one issuer, in `issuer`.
    static func several(_ object: SettingsObject, allowsHTTP: Bool) throws -> [GatewayIssuerSettings]? {
        guard let elements = try object.elements("issuers", list, known: known) else { return nil }
        try checkAlone(object)
        guard !elements.isEmpty else { throw object.failure("issuers", list) }
        var issuers: [GatewayIssuerSettings] = []
        for element in elements {
            let issuer = try read(element, of: object, allowsHTTP: allowsHTTP)
            // Two entries would have different keys or rules for one `iss`.
            guard !issuers.contains(where: { $0.name.isIdentical(to: issuer.name) }) else {
                throw CommandFailure.usage("'issuers' in \(object.place): \(SafeText.of(issuer.name)) is listed twice")
            }
            issuers.append(issuer)
        }
        return issuers
    }

    private static func read(
        _ element: SettingsObject.Element,
        of object: SettingsObject,
        allowsHTTP: Bool
    ) throws -> GatewayIssuerSettings {
        switch element {
        case .text(let text):
            return try GatewayIssuerSettings(text, object, allowsHTTP: allowsHTTP)
        case .object(let entry):
            let profile = try entry.word("tokenProfile", AccessTokenProfile.rfc9068)
            return try GatewayIssuerSettings(entry, allowsHTTP: allowsHTTP, tokenProfile: profile)
        }
    }

    /// What is said about `issuer` must not stand beside `issuers`: it would be unclear for which it is.
    private static func checkAlone(_ object: SettingsObject) throws {
        if object.has("issuer") {
            throw CommandFailure.usage("\(object.place) has both 'issuer' and 'issuers'", hint: "keep one of them")
        }
        for name in ["jwksURI", "tokenAlgorithms"] where object.has(name) {
            throw CommandFailure.usage(
                "'\(name)' in \(object.place) goes with 'issuer': with 'issuers', each issuer has its own",
                hint: "\"issuers\": [{ \"issuer\": \"https://auth.example.com\", \"\(name)\": ... }]"
            )
        }
        // No server may get the tokens of another one, and an opaque token does not say whose it is.
        if object.has("introspection") {
            throw CommandFailure.usage(
                "'introspection' in \(object.place) goes with 'issuer': with 'issuers', all access tokens must be JWTs"
            )
        }
    }

    private init(_ text: String, _ object: SettingsObject, allowsHTTP: Bool) throws {
        guard let issuer = GatewaySettings.uri(text, allowsHTTP) else {
            throw CommandFailure.usage("'issuers' in \(object.place): \(SafeText.of(text)) is not an https URL")
        }
        self.issuer = issuer
        jwksURI = nil
        tokenAlgorithms = [.es256]
        tokenProfile = .rfc9068
    }

    private init(_ object: SettingsObject, allowsHTTP: Bool, tokenProfile: AccessTokenProfile?) throws {
        issuer = try GatewaySettings.uri(object, "issuer", try object.requiredText("issuer"), allowsHTTP)
        jwksURI = try object.text("jwksURI").map { try GatewaySettings.uri(object, "jwksURI", $0, allowsHTTP) }
        tokenAlgorithms = try Self.algorithms(object)
        self.tokenProfile = tokenProfile
    }

    private static func algorithms(_ object: SettingsObject) throws -> Set<SignatureAlgorithm> {
        let wanted = "names of signature algorithms such as ES256"
        let algorithms = try object.texts("tokenAlgorithms") ?? [SignatureAlgorithm.es256.rawValue]
        // With none, no token could ever pass.
        guard !algorithms.isEmpty else { throw object.failure("tokenAlgorithms", wanted) }
        return Set(
            try algorithms.map { name in
                let algorithm = SignatureAlgorithm(rawValue: name)
                guard SignatureAlgorithm.all.contains(algorithm) else {
                    throw object.failure("tokenAlgorithms", wanted)
                }
                return algorithm
            }
        )
    }
}
#endif
