// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage

/// The options of `keybound gateway config` from which a configuration is made.
enum ProxyArguments {
    private static let api = Option.list(
        "--api",
        "URL",
        "the public address of the API",
        default: "https://api.example.com"
    )
    private static let upstream = Option.list(
        "--upstream",
        "ADDRESS",
        "where the API listens: an address and a port, or unix: and a path",
        default: "127.0.0.1:9000"
    )
    private static let gateway = Option.value(
        "--gateway",
        "ADDRESS",
        "where the gateway listens",
        default: "unix:/run/keybound/gateway.sock; for Traefik 127.0.0.1:8085"
    )
    private static let certificate = Option.list(
        "--certificate",
        "FILE",
        "the certificate; for HAProxy with the key in one file"
    )
    private static let key = Option.list("--key", "FILE", "the key of the certificate")
    private static let field = Option.list("--field", "NAME", "a field of 'claims' in the gateway's configuration")
    private static let configuration = Option.value(
        "--config",
        "FILE",
        "the gateway's configuration: its APIs, its address and the fields of 'claims' need no options then"
    )
    private static let cors = Option.list(
        "--cors",
        "ORIGIN",
        "answer CORS preflights, and let scripts of this origin read responses: https://app.example.com; one for all APIs, or "
            + "one for each, none for an API that answers CORS itself"
    )
    private static let luaFile = Option.value(
        "--lua-file",
        "FILE",
        "for HAProxy: where the Lua action is saved",
        default: "/etc/haproxy/keybound.lua"
    )

    #if os(Linux)
    static let options = [configuration, api, upstream, gateway, certificate, key, field, cors, luaFile]
    #else
    static let options = [api, upstream, gateway, certificate, key, field, cors, luaFile]
    #endif

    /// What a configuration of the gateway says about the proxy's.
    private struct Described {
        var apis: [String] = []
        var gateway: String?
        var fields: [String] = []
    }

    /// The settings of the first API, and of the others.
    static func settings(
        _ arguments: ParsedArguments,
        _ kind: ProxyKind
    ) throws -> (ProxySettings, others: [ProxySettings]) {
        let described = try described(arguments, kind)
        let given = arguments.values(api).isEmpty ? described.apis : arguments.values(api)
        let first = try address(given.first ?? "https://api.example.com")
        let others = try given.dropFirst().map(address)
        try checkTogether([first] + others, arguments)
        let count = 1 + others.count
        let upstreams = try values(upstream, arguments, count)
        let (certificates, keys) = (try values(certificate, arguments, count), try values(key, arguments, count))
        let named = try claimFields(arguments)
        let fields = distinct(described.fields + named)
        let policies = try policies(arguments, count)
        let standard = kind == .traefik ? "127.0.0.1:8085" : "unix:/run/keybound/gateway.sock"
        let place = try ServerPlace(arguments.value(gateway) ?? described.gateway ?? standard, gateway.name)
        let action = try file(arguments.value(luaFile), luaFile) ?? "/etc/haproxy/keybound.lua"
        let settings = { (address: URI, index: Int) throws in
            let name = "/etc/ssl/\(address.host ?? "api")"
            return ProxySettings(
                api: address,
                upstream: try ServerPlace(upstreams[index] ?? "127.0.0.1:9000", upstream.name),
                gateway: place,
                certificate: try file(certificates[index], certificate) ?? name + (kind == .haproxy ? ".pem" : ".crt"),
                key: try file(keys[index], key) ?? name + ".key",
                luaFile: action,
                claimFields: fields,
                cors: policies[index]
            )
        }
        return (try settings(first, 0), try others.enumerated().map { try settings($1, $0 + 1) })
    }

    private static func described(_ arguments: ParsedArguments, _ kind: ProxyKind) throws -> Described {
        #if os(Linux)
        guard let file = arguments.value(configuration) else { return Described() }
        let settings = try GatewaySettings(file: file)
        guard settings.proxies.contains(kind) else {
            throw CommandFailure.usage(
                "'proxy' in \(SafeText.of(file)) does not name \(kind.rawValue)",
                hint: "without it, the gateway answers no check requests of \(kind.rawValue)"
            )
        }
        return Described(
            apis: settings.apis.map(\.address.description),
            gateway: settings.listen == "systemd" ? nil : settings.listen,
            fields: Set(settings.apis.flatMap(\.claims.keys)).sorted()
        )
        #else
        return Described()
        #endif
    }

    private static func address(_ text: String) throws -> URI {
        let address = try? URI(parsing: text)
        guard let address, address.scheme == "https" || address.scheme == "http" && address.isLoopbackIPLiteral,
            address.path.isEmpty, address.query == nil, address.fragment == nil, address.userinfo == nil,
            address.host?.utf8.allSatisfy({ ASCII.isUnreserved($0) || "[:]".utf8.contains($0) }) ?? false
        else {
            throw CommandFailure.usage("--api is https, or http on a loopback address, without path and query")
        }
        return address
    }

    /// Checks that one file can hold these APIs: the proxy tells them apart by their hosts.
    private static func checkTogether(_ apis: [URI], _ arguments: ParsedArguments) throws {
        guard apis.count > 1 else { return }
        guard apis.allSatisfy({ $0.scheme == "https" }), Set(apis.map { $0.port ?? 443 }).count == 1,
            Set(apis.map { $0.host?.lowercased() }).count == apis.count
        else {
            throw CommandFailure.usage("several --api must have https, the same port, and each a host of its own")
        }
        guard !arguments.values(upstream).isEmpty else {
            throw CommandFailure.usage(
                "--upstream is missing, which says where each API listens",
                hint: "give one for each --api, in the same order"
            )
        }
    }

    /// The values of an option that goes with `--api`: none, or one for each.
    private static func values(_ option: Option, _ arguments: ParsedArguments, _ count: Int) throws -> [String?] {
        let values = arguments.values(option)
        guard !values.isEmpty else { return [String?](repeating: nil, count: count) }
        guard values.count == count else {
            throw CommandFailure.usage(
                "\(count) --api, but \(values.count) \(option.name)",
                hint: "give one for each --api, in the same order"
            )
        }
        return values
    }

    /// The origin whose scripts may call an API, for each API: one origin for all, or one for each.
    private static func policies(_ arguments: ParsedArguments, _ count: Int) throws -> [CORSPolicy?] {
        let given = arguments.values(cors)
        let origins =
            given.count == 1 ? [String?](repeating: given[0], count: count) : try values(cors, arguments, count)
        return try origins.map { origin -> CORSPolicy? in
            guard let origin, origin != "none" else { return nil }
            return try CORSPolicy(origin, cors.name)
        }
    }

    private static func claimFields(_ arguments: ParsedArguments) throws -> [String] {
        let fields = arguments.values(field)
        for field in fields where !IdentityFields.isCustomName(field) {
            throw CommandFailure.usage("--field \(SafeText.of(field)) does not begin with X-Keybound-")
        }
        return fields
    }

    /// The names without those that differ from one before in capitals only (RFC 9110 section 5.1): a proxy that sets a field
    /// twice sends two.
    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0.lowercased()).inserted }
    }

    /// A path without characters that a configuration language treats in a special way.
    private static func file(_ path: String?, _ option: Option) throws -> String? {
        guard let path else { return nil }
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == UInt8(ascii: "/") }) else {
            throw CommandFailure.usage(
                "\(option.name) is not an absolute path of letters, digits, slashes, dots and hyphens"
            )
        }
        return path
    }
}
