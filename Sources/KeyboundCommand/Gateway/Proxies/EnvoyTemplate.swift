// SPDX-License-Identifier: Apache-2.0

/// Envoy with `ext_authz` over HTTP.
enum EnvoyTemplate {
    /// The configuration for an API and others beside it, each with a host of its own, all on one port.
    static func text(_ settings: ProxySettings, others: [ProxySettings] = []) -> String {
        let apis = [settings] + others
        let hosts = apis.enumerated().map { virtualHost($1, cluster: name(of: $0)) }
        let clusters = apis.enumerated().map { cluster(name(of: $0), $1.upstream) }
        return """
            \(settings.comment("Envoy 1.36 or later; tried with 1.40.", "/etc/envoy/envoy.yaml", others: others))
            static_resources:
              listeners:
              - address: { socket_address: { address: "\(settings.listeningAddress)", port_value: \(settings.port) } }
                filter_chains:
                - filters:
                  - name: envoy.filters.network.http_connection_manager
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                      stat_prefix: keybound
                      # The gateway and the API must both see the path as it was sent.
                      normalize_path: false
                      merge_slashes: false
                      path_with_escaped_slashes_action: KEEP_UNCHANGED
                      # X-Forwarded-Proto is how the client connected, not what it says.
                      use_remote_address: true
                      upgrade_configs: [{ upgrade_type: websocket }]
            \(unavailable)
                      route_config:
                        ignore_port_in_host_matching: true
                        virtual_hosts:
            \(hosts.joined(separator: "\n"))
                        - name: other_hosts
                          domains: ["*"]
                          routes:
                          - match: { prefix: "/" }
                            direct_response: { status: 421 }
            \(unasked)
                      http_filters:
            \(mutation)
            \(question(apis))
                      - name: envoy.filters.http.router
                        typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
            \(tls(apis))\
              clusters:
            \(clusters.joined(separator: "\n"))
            \(cluster("keybound", settings.gateway))
            \(idleTimeout)

            """
    }

    private static func name(of index: Int) -> String { index == 0 ? "api" : "api_\(index + 1)" }

    /// Envoy's own 503, when the gateway is down or slow.
    private static let unavailable = """
                  local_reply_config:
                    mappers:
                    - filter:
                        and_filter:
                          filters:
                          - response_flag_filter: { flags: [UAEX] }
                          - status_code_filter: { comparison: { op: EQ, value: { default_value: 503, runtime_key: keybound.unavailable } } }
                      headers_to_add:
                      - { header: { key: retry-after, value: "2" }, append_action: OVERWRITE_IF_EXISTS_OR_ADD }
                      - { header: { key: cache-control, value: no-store }, append_action: OVERWRITE_IF_EXISTS_OR_ADD }
        """

    /// Of a route about which the gateway is not asked.
    private static let unasked = """
                        typed_per_filter_config:
                          envoy.filters.http.ext_authz:
                            "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute
                            disabled: true
        """

    private static func virtualHost(_ settings: ProxySettings, cluster: String) -> String {
        """
                    - name: \(cluster)
                      domains: ["\(settings.host)", "\(settings.host)."]
                      # Removed after the gateway was asked. Some frameworks let the last ones replace the method, the path or
                      # the host that it decided about.
                      request_headers_to_remove: [authorization, dpop, http2-settings, \(list(ProxySettings.overridingFields))]
                      request_headers_to_add:
                      - { header: { key: x-forwarded-host, value: "\(settings.authority)" }, append_action: OVERWRITE_IF_EXISTS_OR_ADD }
        \(crossOriginFields(settings))\
                      routes:
        \(preflights(settings))\
                      # RFC 9728: the gateway answers, and is not asked.
                      - match: { path_separated_prefix: /.well-known/oauth-protected-resource }
                        route: { cluster: keybound, timeout: 5s }
        \(dropped(settings))\
        \(unasked)
                      - match: { prefix: "/" }
        \(dropped(settings))\
                        # The host is that of its public address, whatever port and spelling the client wrote: the gateway has
                        # compared it. Repeated only if the API closed the connection before it got the request.
                        route: { cluster: \(cluster), timeout: 0s, host_rewrite_literal: "\(settings.authority)", retry_policy: { retry_on: reset-before-request } }
        """
    }

    /// What Envoy answers itself.
    private static func preflights(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        let fields = [
            ("allow-methods", CORSPolicy.methods), ("allow-headers", CORSPolicy.requestFields),
            ("max-age", "\(CORSPolicy.maximumAge)"),
        ]
        let added = fields.map { "                - { header: { key: access-control-\($0), value: \"\($1)\" } }" }
        return """
                          # CORS: scripts of \(cors.origin) may call the API. No preflight reaches the gateway or the API.
                          - match:
                              prefix: "/"
                              headers:
                              - { name: ":method", string_match: { exact: OPTIONS } }
                              - { name: origin, present_match: true }
                              - { name: access-control-request-method, present_match: true }
                            direct_response: { status: 204 }
                            response_headers_to_add:
            \(added.joined(separator: "\n"))
            \(unasked)

            """
    }

    /// What an API that answers CORS itself says: two values are none to a browser.
    private static func dropped(_ settings: ProxySettings) -> String {
        guard settings.cors != nil else { return "" }
        return "                response_headers_to_remove: [\(list(CORSPolicy.apiFields))]\n"
    }

    /// What every answer for this API has for scripts.
    private static func crossOriginFields(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        return """
                          typed_per_filter_config:
                            envoy.filters.http.header_mutation:
                              "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
                              mutations:
                                response_mutations:
                                - append: { header: { key: access-control-allow-origin, value: "\(cors.origin)" }, append_action: OVERWRITE_IF_EXISTS_OR_ADD }
                                - append: { header: { key: access-control-expose-headers, value: "\(CORSPolicy.responseFields)" } }
                                - append: { header: { key: vary, value: Origin } }

            """
    }

    /// Removes what the client sent under our names, before the check request.
    private static let mutation = """
                  - name: envoy.filters.http.header_mutation
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
                      mutations:
                        request_mutations:
                        - remove_on_match: { key_matcher: { prefix: x-keybound } }
                        # CGI, WSGI and PHP programs read X_Keybound_Subject and X.Keybound.Subject as X-Keybound-Subject.
                        - remove_on_match: { key_matcher: { safe_regex: { regex: "[^:].*[^A-Za-z0-9-].*" } } }
        """

    private static func question(_ apis: [ProxySettings]) -> String {
        let fields = apis.first?.identityFields ?? []
        // With CORS they are in every answer; beside an API without it, a rejection may name them twice.
        let exposed = apis.allSatisfy { $0.cors != nil } ? "" : ", { exact: access-control-expose-headers }"
        let identity = fields.map { "{ exact: \($0.lowercased()) }" }.joined(separator: ", ")
        return """
                      - name: envoy.filters.http.ext_authz
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
                          transport_api_version: V3
                          failure_mode_allow: false
                          status_on_error: { code: ServiceUnavailable }
                          # Two proofs are two fields for the gateway, which refuses them (RFC 9449 section 4.3).
                          encode_raw_headers: true
                          allowed_headers:
                            patterns: [{ exact: authorization }, { exact: dpop }, { exact: origin }, { exact: access-control-request-method }, { exact: x-forwarded-proto }, { exact: x-forwarded-for }, { exact: x-request-id }, { exact: traceparent }]
                          http_service:
                            path_prefix: /check/envoy
                            server_uri: { uri: http://keybound, cluster: keybound, timeout: 5s }
                            authorization_response:
                              allowed_upstream_headers: { patterns: [\(identity)] }
                              allowed_client_headers: { patterns: [{ exact: www-authenticate }, { exact: dpop-nonce }, { exact: retry-after }, { exact: cache-control }\(exposed)] }
                              allowed_client_headers_on_success: { patterns: [{ exact: dpop-nonce }\(exposed)] }
            """
    }

    private static func list(_ names: [String]) -> String {
        names.map { $0.lowercased() }.joined(separator: ", ")
    }

    /// Envoy chooses the certificate by the name that the client asks for.
    private static func tls(_ apis: [ProxySettings]) -> String {
        let certificates = apis.filter { !$0.isPlain }.map {
            "            - { certificate_chain: { filename: \"\($0.certificate)\" }, private_key: { filename: \"\($0.key)\" } }\n"
        }
        guard !certificates.isEmpty else { return "" }
        return """
                  transport_socket:
                    name: envoy.transport_sockets.tls
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                      common_tls_context:
                        alpn_protocols: [h2, http/1.1]
                        tls_certificates:
            \(certificates.joined())
            """
    }

    private static func cluster(_ name: String, _ place: ServerPlace) -> String {
        let address =
            place.path.map { "pipe: { path: \"\($0)\" }" }
            ?? "socket_address: { address: \"\(place.host)\", port_value: \(place.port) }"
        return """
              - name: \(name)
                type: \(place.path == nil ? "STRICT_DNS" : "STATIC")
                connect_timeout: 2s
                load_assignment:
                  cluster_name: \(name)
                  endpoints: [{ lb_endpoints: [{ endpoint: { address: { \(address) } } }] }]
            """
    }

    /// Of connections to the gateway.
    private static let idleTimeout = """
            # Shorter than the gateway's 30 s, so that no question meets a connection that just closed.
            typed_extension_protocol_options:
              envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                common_http_protocol_options: { idle_timeout: 20s }
                explicit_http_config: { http_protocol_options: {} }
        """
}
