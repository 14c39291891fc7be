// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

/// A configuration that was broken on purpose, and the attempts that must find it.
struct GatewayFault: Sendable, CustomTestStringConvertible {
    let proxy: Proxy
    let text: String
    let replacement: String
    let attempts: [String]

    init(_ proxy: Proxy, _ text: String, _ attempts: [String]) {
        self.init(proxy, text, "", attempts)
    }

    init(_ proxy: Proxy, _ text: String, _ replacement: String, _ attempts: [String]) {
        self.proxy = proxy
        self.text = text
        self.replacement = replacement
        self.attempts = attempts
    }

    var testDescription: String { "\(proxy.name): \(text)" }

    /// Breaks a configuration; `<gateway>` is nginx's name for the gateway, which has the port of the scene.
    func applied(to configuration: String) -> String {
        let gateway = configuration.split(separator: " ").first { $0.hasPrefix("keybound_gateway_") }
        func named(_ words: String) -> String { words.replacing("<gateway>", with: gateway.map { String($0) } ?? "") }
        return configuration.replacing(named(text), with: named(replacement))
    }

    /// What requests without a token show.
    static let all: [GatewayFault] = [
        GatewayFault(
            .nginx,
            "proxy_set_header X-Forwarded-Uri $request_uri;",
            "set $u $request_uri; if ($http_x_forwarded_uri) { set $u $http_x_forwarded_uri; }\n"
                + "proxy_set_header X-Forwarded-Uri $u;",
            ["X-Forwarded-Uri of the client"]
        ),
        GatewayFault(
            .nginx,
            "proxy_set_header X-Forwarded-Host $host;\n        proxy_set_header X-Forwarded-Uri",
            "set $h $host; if ($http_x_forwarded_host) { set $h $http_x_forwarded_host; }\n"
                + "proxy_set_header X-Forwarded-Host $h;\n        proxy_set_header X-Forwarded-Uri",
            ["X-Forwarded-Host of the client"]
        ),
        GatewayFault(
            .nginx,
            "location @keybound_refused {",
            "location ^~ /check { proxy_pass http://<gateway>; }\n    location @keybound_refused {",
            ["the gateway's path /check/nginx"]
        ),
        GatewayFault(.nginx, "auth_request /_keybound;", ["a request without a token"]),
        GatewayFault(
            .nginx,
            "underscores_in_headers off",
            "underscores_in_headers on",
            ["X_Keybound_Subject at the API"]
        ),
        GatewayFault(
            .nginx,
            "proxy_set_header X-Keybound-Client $keybound_field_client;",
            ["X-Keybound-Client at the API"]
        ),
        GatewayFault(.nginx, "403 $keybound_challenge; default ''", "default $keybound_challenge", ["the challenge"]),
        GatewayFault(
            .caddy,
            "header_up X-Forwarded-Uri {http.request.orig_uri}",
            "header_up X-Forwarded-Uri {http.request.uri.path}",
            ["an encoded slash"]
        ),
        GatewayFault(.caddy, "request_header \"-*_*\"", ["X_Keybound_Subject at the API"]),
        GatewayFault(.caddy, "request_header \"-*.*\"", ["X.Keybound.Subject at the API"]),
        GatewayFault(
            .nginx,
            "ignore_invalid_headers on",
            "ignore_invalid_headers off",
            ["X.Keybound.Subject at the API"]
        ),
        GatewayFault(.caddy, "request_header -X-HTTP-Method-Override", ["X-HTTP-Method-Override at the API"]),
        GatewayFault(.nginx, "proxy_set_header Forwarded \"\";", ["Forwarded at the API"]),
        GatewayFault(
            .haproxy,
            "http-request set-header X-Forwarded-Host 127.",
            "http-request set-header X-Other 127.",
            ["X-Forwarded-Host at the API"]
        ),
        GatewayFault(
            .nginx,
            "~*^websocket$ websocket; default ''",
            "~*^websocket$ websocket; default $http_upgrade",
            ["a change to HTTP/2 (h2c) at the API"]
        ),
        GatewayFault(
            .nginx,
            "merge_slashes off;",
            "merge_slashes off; if ($http_upgrade) { return 204; }",
            ["a change to HTTP/2 (h2c)"]
        ),
        GatewayFault(.caddy, "request_header @keybound_protocol -Upgrade", ["a change to HTTP/2 (h2c) at the API"]),
        GatewayFault(
            .haproxy,
            "http-request del-header Upgrade unless { req.fhdr(Upgrade) -m str websocket }",
            ["a change to HTTP/2 (h2c) at the API"]
        ),
        GatewayFault(
            .haproxy,
            "http-request del-header Connection unless { req.hdr(Upgrade) -m found }",
            ["Connection at the API"]
        ),
        GatewayFault(
            .haproxy,
            "http-request del-header [^A-Za-z0-9-] -m reg",
            ["X_Keybound_Subject at the API", "X.Keybound.Subject at the API"]
        ),
        GatewayFault(
            .envoy,
            "- remove_on_match: { key_matcher: { safe_regex: { regex: \"[^:].*[^A-Za-z0-9-].*\" } } }",
            ["X_Keybound_Subject at the API", "X.Keybound.Subject at the API"]
        ),
        GatewayFault(.envoy, "merge_slashes: false", "merge_slashes: true", ["two slashes"]),
        GatewayFault(.envoy, "x-http-method-override, ", ["X-HTTP-Method-Override at the API"]),
        GatewayFault(
            .traefik,
            "|[^a-z0-9-]\"",
            "\"",
            ["X_Keybound_Subject at the API", "X.Keybound.Subject at the API"]
        ),
        GatewayFault(.traefik, "sanitizePath: false", "sanitizePath: true", ["two slashes"]),
        GatewayFault(.traefik, "X-HTTP-Method-Override: \"\", ", ["X-HTTP-Method-Override at the API"]),
        GatewayFault(
            .haproxy,
            "set-var(txn.keybound_uri) pathq",
            "set-var(txn.keybound_uri) path,url_dec",
            ["an encoded slash"]
        ),
    ]

    /// nginx that keeps the answers of the gateway, with what it remembers them by.
    private static func cached(by key: String, _ attempts: [String]) -> GatewayFault {
        GatewayFault(
            .nginx,
            "internal;\n        proxy_pass http://<gateway>/check/nginx;",
            """
            internal; proxy_cache decisions; proxy_cache_key \(key); proxy_cache_valid 200 1m;
            proxy_ignore_headers Cache-Control;
            proxy_pass http://<gateway>/check/nginx;
            """,
            attempts
        )
    }

    /// What only requests with a token show.
    static let withToken: [GatewayFault] = [
        cached(
            by: "$http_authorization$http_dpop$request_uri",
            ["the same proof again"]
        ),
        cached(
            by: "$http_authorization",
            [
                "the same proof again", "no proof", "a proof by another key", "a proof for another host",
                "a proof without a nonce", "another final slash than the proof's", "HEAD with a proof for GET",
            ]
        ),
        GatewayFault(
            .nginx,
            "~*^websocket$ websocket; default ''",
            "~*^websocket$ websocket; default $http_upgrade",
            ["a change to HTTP/2 (h2c) with a good request"]
        ),
        GatewayFault(.nginx, "proxy_set_header Authorization \"\";", ["Authorization at the API"]),
        GatewayFault(.nginx, "proxy_set_header DPoP \"\";", ["DPoP at the API"]),
        GatewayFault(
            .nginx,
            "add_header DPoP-Nonce $keybound_nonce always;\n        add_header Access-Control-Expose-Headers $keybound_expose always;\n\n",
            "add_header X-Keybound-Subject $keybound_field_subject always;\n",
            ["the gateway's fields in the answer"]
        ),
        GatewayFault(
            .nginx,
            "proxy_set_header X-Keybound-Acr $keybound_field_acr;",
            ["X-Keybound-Acr at the API, with a good request"]
        ),
        GatewayFault(
            .caddy,
            "header_up X-Forwarded-Host",
            "header_up X-Forwarded-Method GET\n\t\t\theader_up X-Forwarded-Host",
            ["HEAD with a proof for GET"]
        ),
        GatewayFault(.caddy, "request_header -Authorization", ["Authorization at the API"]),
        GatewayFault(.caddy, "request_header -DPoP", ["DPoP at the API"]),
        GatewayFault(.haproxy, "http-request del-header authorization", ["Authorization at the API"]),
        GatewayFault(.haproxy, "http-request del-header dpop", ["DPoP at the API"]),
        GatewayFault(
            .haproxy,
            "http-request set-var(txn.keybound_uri) pathq",
            "http-request set-var(txn.keybound_uri) str(/notes)",
            ["another final slash than the proof's"]
        ),
    ]
}
#endif
