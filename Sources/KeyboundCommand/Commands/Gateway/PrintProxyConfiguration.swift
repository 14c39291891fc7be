// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage

/// `keybound gateway config`.
enum PrintProxyConfiguration: Command {
    private static let api = Option.value(
        "--api",
        "URL",
        "the public address of the API (default: https://api.example.com)"
    )
    private static let upstream = Option.value(
        "--upstream",
        "ADDRESS",
        "where the API listens: an address and a port, or unix: and a path (default: 127.0.0.1:9000)"
    )
    private static let gateway = Option.value(
        "--gateway",
        "ADDRESS",
        "where the gateway listens (default: unix:/run/keybound/gateway.sock; for Traefik 127.0.0.1:8085)"
    )
    private static let certificate = Option.value(
        "--certificate",
        "FILE",
        "the certificate; for HAProxy with the key in one file"
    )
    private static let key = Option.value("--key", "FILE", "the key of the certificate")
    private static let field = Option.list("--field", "NAME", "a field of 'claims' in the gateway's configuration")
    private static let cors = Option.value(
        "--cors",
        "ORIGIN",
        "answer CORS preflights, and let scripts of this origin read responses: https://app.example.com"
    )
    private static let lua = Option.flag("--lua", "for HAProxy: print the Lua action")
    private static let luaFile = Option.value(
        "--lua-file",
        "FILE",
        "for HAProxy: where the Lua action is saved (default: /etc/haproxy/keybound.lua)"
    )

    static let syntax = CommandSyntax(
        "gateway config",
        "print the configuration of a reverse proxy that asks the gateway",
        details: [
            "The configurations of nginx, Caddy and HAProxy are tested with the releases of Debian 12. Those of Envoy and "
                + "Traefik are written from their documentation and not tried. An API address with http on 127.0.0.1 "
                + "gives a configuration without TLS, to try it out.",
            "With --cors the proxy decides about CORS for the API: it answers preflights, which need no token, and replaces "
                + "what the API says. docs/gateway.md says more.",
        ],
        operands: [
            .required(
                "PROXY",
                "nginx, caddy, haproxy, envoy or traefik",
                choices: ProxyKind.allCases.map(\.rawValue)
            )
        ],
        options: [api, upstream, gateway, certificate, key, field, cors, lua, luaFile],
        examples: [
            .init(
                "Protect an API behind nginx",
                "keybound gateway config nginx --api https://api.example.com --upstream 127.0.0.1:9000 \\\n"
                    + "  > /etc/nginx/conf.d/api.conf"
            ),
            .init("Print the action of HAProxy", "keybound gateway config haproxy --lua > /etc/haproxy/keybound.lua"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) throws {
        let kind: ProxyKind = try arguments.word(0, "a proxy")
        let settings = try settings(arguments, kind)
        guard !arguments.has(lua) || kind == .haproxy else { throw CommandFailure.usage("--lua is for HAProxy") }
        let text =
            switch kind {
            case .nginx: NginxTemplate.text(settings)
            case .caddy: CaddyTemplate.text(settings)
            case .haproxy: arguments.has(lua) ? HAProxyTemplate.action(settings) : HAProxyTemplate.text(settings)
            case .envoy: EnvoyTemplate.text(settings)
            case .traefik: try TraefikTemplate.text(settings)
            }
        console.print(String(text.dropLast(text.hasSuffix("\n") ? 1 : 0)))
    }

    private static func settings(_ arguments: ParsedArguments, _ kind: ProxyKind) throws -> ProxySettings {
        let address = try? URI(parsing: arguments.value(api) ?? "https://api.example.com")
        guard let address, address.scheme == "https" || address.scheme == "http" && address.isLoopbackIPLiteral,
            address.path.isEmpty, address.query == nil, address.fragment == nil, address.userinfo == nil,
            address.host?.utf8.allSatisfy({ ASCII.isUnreserved($0) || "[:]".utf8.contains($0) }) ?? false
        else {
            throw CommandFailure.usage("--api is https, or http on a loopback address, without path and query")
        }
        let fields = arguments.values(field)
        for field in fields where !IdentityFields.isCustomName(field) {
            throw CommandFailure.usage("--field \(SafeText.of(field)) does not begin with X-Keybound-")
        }
        let standard = kind == .traefik ? "127.0.0.1:8085" : "unix:/run/keybound/gateway.sock"
        return ProxySettings(
            api: address,
            upstream: try ServerPlace(arguments.value(upstream) ?? "127.0.0.1:9000", upstream.name),
            gateway: try ServerPlace(arguments.value(gateway) ?? standard, gateway.name),
            certificate: try file(arguments, certificate)
                ?? "/etc/ssl/\(address.host ?? "api").\(kind == .haproxy ? "pem" : "crt")",
            key: try file(arguments, key) ?? "/etc/ssl/\(address.host ?? "api").key",
            luaFile: try file(arguments, luaFile) ?? "/etc/haproxy/keybound.lua",
            claimFields: fields,
            cors: try arguments.value(cors).map { try CORSPolicy($0, cors.name) }
        )
    }

    /// A path without characters that a configuration language treats in a special way.
    private static func file(_ arguments: ParsedArguments, _ option: Option) throws -> String? {
        guard let path = arguments.value(option) else { return nil }
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == UInt8(ascii: "/") }) else {
            throw CommandFailure.usage(
                "\(option.name) is not an absolute path of letters, digits, slashes, dots and hyphens"
            )
        }
        return path
    }
}
