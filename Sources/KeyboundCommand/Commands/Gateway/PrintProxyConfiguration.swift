// SPDX-License-Identifier: Apache-2.0

import Gateway

/// `keybound gateway config`.
enum PrintProxyConfiguration: Command {
    private static let lua = Option.flag("--lua", "for HAProxy: print the Lua action")

    static let syntax = CommandSyntax(
        "gateway config",
        "print the configuration of a reverse proxy that asks the gateway",
        details: [
            "The configurations of nginx, Caddy and HAProxy are tested with the releases of Debian 12, those of Envoy and "
                + "Traefik with 1.40 and 3.7. An API address with http on 127.0.0.1 gives a configuration without TLS, to "
                + "try it out.",
            "With --cors the proxy decides about CORS for the API: it answers preflights, which need no token, and replaces "
                + "what the API says. docs/gateway.md says more.",
            "Several APIs in one configuration: repeat --api and --upstream, and --certificate, --key and --cors if you give "
                + "them, in the same order. Each API needs a host of its own; all have https and the same port.",
        ],
        operands: [
            .required(
                "PROXY",
                "nginx, caddy, haproxy, envoy or traefik",
                choices: ProxyKind.allCases.map(\.rawValue)
            )
        ],
        options: ProxyArguments.options + [lua],
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
        let (settings, others) = try ProxyArguments.settings(arguments, kind)
        guard !arguments.has(lua) || kind == .haproxy else { throw CommandFailure.usage("--lua is for HAProxy") }
        let text =
            switch kind {
            case .nginx: ([settings] + others).map(NginxTemplate.text).joined(separator: "\n")
            case .caddy: CaddyTemplate.text(settings, others: others)
            case .haproxy:
                arguments.has(lua)
                    ? HAProxyTemplate.action(settings) : HAProxyTemplate.text(settings, others: others)
            case .envoy: EnvoyTemplate.text(settings, others: others)
            case .traefik: try TraefikTemplate.text(settings, others: others)
            }
        console.print(String(text.dropLast(text.hasSuffix("\n") ? 1 : 0)))
    }
}
