// SPDX-License-Identifier: Apache-2.0

import Gateway

/// Traefik with `ForwardAuth`.
enum TraefikTemplate {
    private static let file = "/etc/traefik/traefik.yaml"

    /// The configuration for an API and others beside it, each with a host of its own, all on one port.
    static func text(_ settings: ProxySettings, others: [ProxySettings] = []) throws -> String {
        let apis = [settings] + others
        guard settings.gateway.path == nil, apis.allSatisfy({ $0.upstream.path == nil }) else {
            throw CommandFailure.usage(
                "Traefik cannot connect to unix sockets",
                hint:
                    "--gateway 127.0.0.1:8085, with \"trustedProxies\": [\"127.0.0.1\"] in the gateway's configuration"
            )
        }
        let services =
            apis.enumerated().map { service(name(of: $0), $1.upstream) } + [service("keybound", settings.gateway)]
        return """
            \(settings.comment("Traefik 3.7.13 or later; tried with 3.7.15.", file, others: others))
            # ForwardAuth gives clients no field of an answer that accepts: a fresh DPoP-Nonce comes with rejections only, so a
            # client gets use_dpop_nonce once in five minutes. While the gateway is down, Traefik answers 500.
            entryPoints:
              keybound:
                address: "\(settings.isPlain ? settings.host : ""):\(settings.port)"
                http:
                  # The gateway and the API must both see the path as it was sent.
                  sanitizePath: false
            providers:
              # What follows is read from this file too.
              file: { filename: \(file) }
            http:
              middlewares:
                keybound:
                  forwardAuth:
                    address: http://\(settings.gateway.text)/check
                    trustForwardHeader: false        # true would take method and path from fields of the client
                    authRequestHeaders: [Authorization, DPoP, Origin, Access-Control-Request-Method, X-Request-Id, traceparent]
                    # What matches is removed from the request, and comes from the gateway's answer alone. CGI, WSGI and PHP
                    # programs read X_Keybound_Subject and X.Keybound.Subject as X-Keybound-Subject.
                    authResponseHeadersRegex: "(?i)^x-keybound|[^a-z0-9-]"
                keybound-request:
                  headers: { customRequestHeaders: { \(removed(requestFields)) } }
                # Not for WebSocket: after a change to another protocol, whole requests would pass that nobody checks.
                keybound-protocol:
                  headers: { customRequestHeaders: { \(removed(["Upgrade", "HTTP2-Settings"])) } }
            \(apis.enumerated().map { middlewares(name(of: $0), $1) }.joined())\
              routers:
            \(apis.enumerated().map { routers(name(of: $0), $1) }.joined(separator: "\n"))
              services:
            \(services.joined(separator: "\n"))
            \(certificates(apis))
            """
    }

    private static func name(of index: Int) -> String { index == 0 ? "api" : "api-\(index + 1)" }

    /// What differs from API to API.
    private static func middlewares(_ name: String, _ settings: ProxySettings) -> String {
        let fields = ["Host", "X-Forwarded-Host"].map { "\($0): \"\(settings.authority)\"" }.joined(separator: ", ")
        return """
                # The public address, whatever port and spelling the client wrote: the gateway has compared the host.
                keybound-address-\(name):
                  headers: { customRequestHeaders: { \(fields) } }
                keybound-response-\(name):
                  headers: { customResponseHeaders: { \(removed(responseFields(settings))) } }
            \(cors(name, settings))
            """
    }

    /// Some frameworks let these replace the method, the path or the host that was decided about.
    private static let requestFields =
        ["Authorization", "DPoP"] + ProxySettings.overridingFields + ProxySettings.reservedFields

    private static func responseFields(_ settings: ProxySettings) -> [String] {
        // An API that answers CORS itself also says these: two values are none to a browser.
        ProxySettings.reservedFields + (settings.cors == nil ? [] : CORSPolicy.apiFields)
    }

    private static func removed(_ names: [String]) -> String {
        names.map { "\($0): \"\"" }.joined(separator: ", ")
    }

    private static func routers(_ name: String, _ settings: ProxySettings) -> String {
        let tls = settings.isPlain ? "" : "\n      tls: {}"
        let first = (settings.cors == nil ? "" : "keybound-cors-\(name), ") + "keybound-response-\(name)"
        let host = "Host(`\(settings.host)`)"
        return """
                \(name):
                  rule: \(host)
                  entryPoints: [keybound]
                  middlewares: [\(first), keybound, keybound-request, keybound-address-\(name), keybound-protocol]
                  service: \(name)\(tls)
                \(name)-websocket:
                  rule: \(host) && HeaderRegexp(`Upgrade`, `(?i)^websocket$`)
                  entryPoints: [keybound]
                  middlewares: [\(first), keybound, keybound-request, keybound-address-\(name)]
                  service: \(name)\(tls)
                # RFC 9728: the gateway answers, and is not asked.
                \(name)-metadata:
                  rule: \(host) && (Path(`\(GatewayEngine.metadataPath)`) || PathPrefix(`\(GatewayEngine.metadataPath)/`))
                  entryPoints: [keybound]
                  middlewares: [\(first)]
                  service: keybound\(tls)
            """
    }

    private static func service(_ name: String, _ place: ServerPlace) -> String {
        "    \(name): { loadBalancer: { servers: [{ url: \"http://\(place.text)\" }] } }"
    }

    /// Before ForwardAuth, so that its refusals have the fields too; Traefik answers preflights itself.
    private static func cors(_ name: String, _ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        return """
                # CORS: scripts of \(cors.origin) may call the API. No preflight reaches the gateway or the API.
                keybound-cors-\(name):
                  headers:
                    accessControlAllowOriginList: ["\(cors.origin)"]
                    accessControlAllowMethods: [\(CORSPolicy.methods)]
                    accessControlAllowHeaders: [\(CORSPolicy.requestFields)]
                    accessControlExposeHeaders: [\(CORSPolicy.responseFields)]
                    accessControlMaxAge: \(CORSPolicy.maximumAge)
                    addVaryHeader: true

            """
    }

    /// Traefik chooses the certificate by the name that the client asks for.
    private static func certificates(_ apis: [ProxySettings]) -> String {
        let pairs = apis.filter { !$0.isPlain }.map { "  - { certFile: \($0.certificate), keyFile: \($0.key) }\n" }
        return pairs.isEmpty ? "" : "tls:\n  certificates:\n" + pairs.joined()
    }
}
