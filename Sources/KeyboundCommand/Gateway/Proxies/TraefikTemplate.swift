// SPDX-License-Identifier: Apache-2.0

/// Traefik with `ForwardAuth`: written from its source, not tried.
enum TraefikTemplate {
    static func text(_ settings: ProxySettings) throws -> String {
        guard settings.gateway.path == nil, settings.upstream.path == nil else {
            throw CommandFailure.usage(
                "Traefik speaks to no unix sockets",
                hint:
                    "--gateway 127.0.0.1:8085, with \"trustedProxies\": [\"127.0.0.1\"] in the gateway's configuration"
            )
        }
        let names = settings.identityFields.joined(separator: ", ")
        let dropped = (["Authorization", "DPoP"] + ProxySettings.overridingFields + ProxySettings.reservedFields).map {
            "\($0): \"\""
        }
        return """
            \(settings.comment("Traefik 3, file provider. NOT TRIED: written from the source of ForwardAuth.", "/etc/traefik/dynamic/api.yaml"))
            # On success ForwardAuth copies fields to the request alone, so a fresh DPoP-Nonce reaches clients with refusals only:
            # each client meets one use_dpop_nonce in five minutes, and repeats that request.
            http:
              middlewares:
                keybound:
                  forwardAuth:
                    address: http://\(settings.gateway.text)/check
                    trustForwardHeader: false        # true would take X-Forwarded-Uri and -Method from the client
                    preserveRequestMethod: false
                    forwardBody: false
                    authRequestHeaders: [Authorization, DPoP, Origin, Access-Control-Request-Method, X-Request-Id, traceparent]
                    authResponseHeaders: [\(names)]
            \(cors(settings))\
                keybound-drop:
                  headers: { customRequestHeaders: { \(dropped.joined(separator: ", ")) } }
              routers:
                api:
                  rule: Host(`\(settings.host)`)
                  entryPoints: [websecure]
                  middlewares: [\(settings.cors == nil ? "" : "keybound-cors, ")keybound, keybound-drop]
                  service: api
                  tls: {}
                # RFC 9728: the gateway answers.
                keybound-metadata:
                  rule: Host(`\(settings.host)`) && PathPrefix(`/.well-known/oauth-protected-resource`)
                  entryPoints: [websecure]
                  service: keybound
                  tls: {}
              services:
                api: { loadBalancer: { servers: [{ url: "http://\(settings.upstream.text)" }] } }
                keybound: { loadBalancer: { servers: [{ url: "http://\(settings.gateway.text)" }] } }

            """
    }

    /// Before ForwardAuth, so that its refusals have the fields too; Traefik answers all preflights itself.
    private static func cors(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        return """
                # CORS: scripts of \(cors.origin) may call the API. No preflight reaches the gateway or the API.
                keybound-cors:
                  headers:
                    accessControlAllowOriginList: ["\(cors.origin)"]
                    accessControlAllowMethods: [\(CORSPolicy.methods)]
                    accessControlAllowHeaders: [\(CORSPolicy.requestFields)]
                    accessControlExposeHeaders: [\(CORSPolicy.responseFields)]
                    accessControlMaxAge: \(CORSPolicy.maximumAge)
                    addVaryHeader: true

            """
    }
}
