// SPDX-License-Identifier: Apache-2.0

/// Envoy with `ext_authz` over HTTP: written from its documentation, not tried.
enum EnvoyTemplate {
    static func text(_ settings: ProxySettings) -> String {
        """
        \(settings.comment("Envoy, v3 API. NOT TRIED: written from the documentation of ext_authz.", "/etc/envoy/envoy.yaml"))
        static_resources:
          listeners:
          - address: { socket_address: { address: \(settings.isPlain ? settings.host : "0.0.0.0"), port_value: \(settings.port) } }
            filter_chains:
            - filter_chain_match: {}\(tls(settings))
              filters:
              - name: envoy.filters.network.http_connection_manager
                typed_config:
                  "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                  stat_prefix: api
                  # What Envoy would rewrite, it refuses: gateway, rules and API then see one path.
                  normalize_path: false
                  merge_slashes: false
                  path_with_escaped_slashes_action: REJECT_REQUEST
                  common_http_protocol_options: { headers_with_underscores_action: REJECT_REQUEST }
                  use_remote_address: true
                  upgrade_configs: [{ upgrade_type: websocket }]
                  route_config:
                    virtual_hosts:
                    - name: api
                      domains: ["\(settings.host)", "\(settings.host):\(settings.port)"]
                      # After ext_authz, so nothing that the gateway set is lost: it always sets all of these.
                      request_headers_to_remove: [authorization, dpop, \(Self.list(ProxySettings.overridingFields))]
        \(policy(settings))\
                      routes:
                      # RFC 9728: the gateway answers, and is not asked.
                      - match: { path_separated_prefix: /.well-known/oauth-protected-resource }
                        route: { cluster: keybound, timeout: 5s }
                        request_headers_to_add:
                        - { header: { key: x-forwarded-host, value: "%REQ(:authority)%" }, append_action: OVERWRITE_IF_EXISTS_OR_ADD }
                        typed_per_filter_config:
                          envoy.filters.http.ext_authz:
                            "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute
                            disabled: true
                      - { match: { prefix: "/" }, route: { cluster: api, timeout: 0s } }
                  http_filters:
        \(corsFilter(settings))\
                  # What the client sent under our names goes before the gateway is asked.
                  - name: envoy.filters.http.header_mutation
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
                      mutations:
                        request_mutations:
        \((settings.identityFields + ProxySettings.reservedFields).map { "                - { remove: \($0.lowercased()) }" }.joined(separator: "\n"))
        \(filter)
          clusters:
        \(cluster("keybound", settings.gateway))
        \(cluster("api", settings.upstream))

        """
    }

    /// Envoy answers preflights of this origin itself, and replaces what the API says.
    ///
    /// Preflights of other origins go on, and the gateway judges them.
    private static func policy(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        return """
                          # CORS: scripts of \(cors.origin) may call the API. Set "preflight": "refuse" in the gateway's
                          # configuration: preflights of other origins reach it.
                          typed_per_filter_config:
                            envoy.filters.http.cors:
                              "@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy
                              allow_origin_string_match: [{ exact: "\(cors.origin)" }]
                              allow_methods: "\(CORSPolicy.methods)"
                              allow_headers: "\(CORSPolicy.requestFields)"
                              expose_headers: "\(CORSPolicy.responseFields)"
                              max_age: "\(CORSPolicy.maximumAge)"
                          response_headers_to_add:
                          - { header: { key: vary, value: Origin }, append_action: APPEND_IF_EXISTS_OR_ADD }

            """
    }

    private static func corsFilter(_ settings: ProxySettings) -> String {
        guard settings.cors != nil else { return "" }
        return """
                      - name: envoy.filters.http.cors
                        typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors }

            """
    }

    private static func list(_ names: [String]) -> String {
        names.map { $0.lowercased() }.joined(separator: ", ")
    }

    private static func tls(_ settings: ProxySettings) -> String {
        guard !settings.isPlain else { return "" }
        let files =
            "certificate_chain: { filename: \(settings.certificate) }, private_key: { filename: \(settings.key) }"
        return """

                  transport_socket:
                    name: envoy.transport_sockets.tls
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                      common_tls_context: { tls_certificates: [{ \(files) }] }
            """
    }

    private static let filter = """
                  - name: envoy.filters.http.ext_authz
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
                      transport_api_version: V3
                      failure_mode_allow: false
                      status_on_error: { code: ServiceUnavailable }
                      clear_route_cache: false
                      allowed_headers:
                        patterns:
                        - { exact: authorization }
                        - { exact: dpop }
                        - { exact: origin }
                        - { exact: access-control-request-method }
                        - { exact: x-forwarded-proto }
                        - { exact: x-request-id }
                        - { exact: traceparent }
                      http_service:
                        path_prefix: /check/envoy
                        server_uri: { uri: http://keybound, cluster: keybound, timeout: 5s }
                        authorization_response:
                          allowed_upstream_headers: { patterns: [{ prefix: x-keybound- }] }
                          allowed_client_headers:
                            patterns: [{ exact: www-authenticate }, { exact: dpop-nonce }, { exact: access-control-expose-headers }, { exact: retry-after }, { exact: cache-control }]
                          allowed_client_headers_on_success:
                            patterns: [{ exact: dpop-nonce }, { exact: access-control-expose-headers }]
                  - name: envoy.filters.http.router
                    typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
        """

    private static func cluster(_ name: String, _ place: ServerPlace) -> String {
        let address =
            place.path.map { "pipe: { path: \($0) }" }
            ?? "socket_address: { address: \(place.host), port_value: \(place.port) }"
        return """
              - name: \(name)
                connect_timeout: 2s
                load_assignment:
                  cluster_name: \(name)
                  endpoints: [{ lb_endpoints: [{ endpoint: { address: { \(address) } } }] }]
            """
    }
}
