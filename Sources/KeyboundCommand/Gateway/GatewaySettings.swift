// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Gateway
import HTTPMessage
import OAuthCore
import OAuthSystem

/// What the configuration file of a gateway says.
struct GatewaySettings {
    /// An authorization server that is asked about tokens.
    struct Introspection {
        let endpoint: URI
        let clientID: String
        let secret: ClientSecret
        let cache: Duration
    }

    private static let known = [
        "listen", "socketMode", "proxy", "trustedProxies", "metricsListen", "issuer", "issuers", "jwksURI",
        "introspection", "allowInsecureLoopbackIssuer", "tokenAlgorithms", "rememberedTokens", "redis", "logFormat",
        "logLevel", "drainTimeout", "apis",
    ]

    let listen: String
    let socketMode: UInt16
    let listenPlace: String
    let metricsListen: ListenAddress?
    let proxies: Set<ProxyKind>
    let trustedPeers: [IPAddressRange]
    /// The only issuer, or the first.
    let issuer: GatewayIssuerSettings
    let furtherIssuers: [GatewayIssuerSettings]
    /// Whether the file has `issuers` and not `issuer`.
    let listsIssuers: Bool
    let introspection: Introspection?
    let rememberedTokens: Int
    let redis: GatewayRedis?
    let logFormat: LogFormat
    let logLevel: LogLevel
    let drainTimeout: Duration
    let apis: [GatewayAPISettings]

    init(file: String) throws {
        let object = try SettingsObject(file: file, known: Self.known)
        listen = try object.text("listen") ?? "127.0.0.1:8085"
        listenPlace = "'listen' in \(SafeText.of(file))"
        socketMode = try Self.mode(object)
        metricsListen = try object.text("metricsListen").map {
            try ListenAddress($0, place: "'metricsListen' in \(SafeText.of(file))")
        }
        proxies = try Self.proxies(object)
        trustedPeers = try Self.ranges(object)
        let allowsHTTP = try object.flag("allowInsecureLoopbackIssuer") ?? false
        let several = try GatewayIssuerSettings.several(object, allowsHTTP: allowsHTTP)
        listsIssuers = several != nil
        if let several, let first = several.first {
            issuer = first
            furtherIssuers = Array(several.dropFirst())
        } else {
            issuer = try GatewayIssuerSettings(single: object, allowsHTTP: allowsHTTP)
            furtherIssuers = []
        }
        introspection = try Self.introspection(object, allowsHTTP)
        rememberedTokens = try object.count("rememberedTokens") ?? 10_000
        redis = try GatewayRedis(object)
        logFormat = try object.word("logFormat", LogFormat.text)
        logLevel = try object.word("logLevel", LogLevel.notice)
        drainTimeout = try object.duration("drainTimeout", atMost: DurationText.longestStop) ?? .seconds(10)
        let objects = try object.objects("apis", known: GatewayAPISettings.known)
        guard !objects.isEmpty else { throw object.failure("apis", "an array with at least one API") }
        apis = try objects.map(GatewayAPISettings.init)
        try checkIssuers(of: objects)
        try checkTrust(object)
    }

    /// All issuers, the first one first.
    var issuers: [GatewayIssuerSettings] { [issuer] + furtherIssuers }

    /// What an API says about issuers must fit them.
    private func checkIssuers(of objects: [SettingsObject]) throws {
        if listsIssuers, let object = objects.first(where: { $0.has("tokenProfile") }) {
            throw CommandFailure.usage(
                "'tokenProfile' of \(object.place) goes with 'issuer': with 'issuers', each issuer has its own",
                hint: "\"issuers\": [{ \"issuer\": \"https://auth.example.com\", \"tokenProfile\": ... }]"
            )
        }
        for (api, object) in zip(apis, objects) {
            for name in api.audiences.keys.sorted() where !issuers.contains(where: { $0.name.isIdentical(to: name) }) {
                throw CommandFailure.usage(
                    "'audiences' of \(object.place) names \(SafeText.of(name)), which is not one of the issuers",
                    hint: "write the issuer as in 'issuers', to the last slash"
                )
            }
        }
    }

    /// A gateway that everybody can ask must be told whom to believe.
    private func checkTrust(_ object: SettingsObject) throws {
        guard !listen.hasPrefix("unix:"), listen != "systemd", trustedPeers.isEmpty else { return }
        throw CommandFailure.usage(
            "'trustedProxies' in the configuration is missing: without a unix socket, the gateway must know its proxies",
            hint:
                "\"trustedProxies\": [\"127.0.0.1\"] for a proxy on this machine, or \"listen\": \"unix:/run/keybound/gateway.sock\""
        )
    }

    private static func mode(_ object: SettingsObject) throws -> UInt16 {
        guard let text = try object.text("socketMode") else { return 0o660 }
        guard let mode = UInt16(text, radix: 8), mode <= 0o777 else {
            throw object.failure("socketMode", "an octal mode such as \"0660\"")
        }
        return mode
    }

    private static func proxies(_ object: SettingsObject) throws -> Set<ProxyKind> {
        let names = try object.texts("proxy") ?? []
        let kinds = names.compactMap(ProxyKind.init)
        guard !kinds.isEmpty, kinds.count == names.count else {
            throw object.failure("proxy", "an array of " + ProxyKind.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return Set(kinds)
    }

    private static func ranges(_ object: SettingsObject) throws -> [IPAddressRange] {
        try (object.texts("trustedProxies") ?? []).map { text in
            guard let range = IPAddressRange(parsing: text) else {
                throw object.failure("trustedProxies", "an array of addresses and ranges such as 10.0.0.0/24")
            }
            return range
        }
    }

    static func uri(_ object: SettingsObject, _ name: String, _ text: String, _ allowsHTTP: Bool) throws -> URI {
        guard let uri = uri(text, allowsHTTP) else { throw object.failure(name, "an https URL") }
        return uri
    }

    static func uri(_ text: String, _ allowsHTTP: Bool) -> URI? {
        let uri = try? URI(parsing: text)
        guard let uri, uri.scheme == "https" || allowsHTTP && uri.scheme == "http" && uri.isLoopbackIPLiteral else {
            return nil
        }
        return uri
    }

    private static func introspection(_ object: SettingsObject, _ allowsHTTP: Bool) throws -> Introspection? {
        let known = ["endpoint", "clientID", "clientSecretFile", "cache"]
        guard let settings = try object.object("introspection", known: known) else { return nil }
        let endpoint = try settings.requiredText("endpoint")
        let cache = try settings.duration("cache", atMost: .seconds(60)) ?? .zero
        return Introspection(
            endpoint: try uri(settings, "endpoint", endpoint, allowsHTTP),
            clientID: try settings.requiredText("clientID"),
            secret: ClientSecret(try InputFile.secretLine(try settings.requiredFilePath("clientSecretFile"))),
            cache: cache
        )
    }
}
#endif
