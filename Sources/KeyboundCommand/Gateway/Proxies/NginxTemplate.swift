// SPDX-License-Identifier: Apache-2.0

/// nginx with `auth_request`.
enum NginxTemplate {
    static func text(_ settings: ProxySettings) -> String {
        """
        \(settings.comment("nginx 1.18 or later with ngx_http_auth_request_module; tried with 1.22.", "/etc/nginx/conf.d/api.conf"))
        # An add_header in a location of your own replaces those of the server: repeat them there.

        upstream \(gateway(settings)) { server \(settings.gateway.text); keepalive 32; }
        upstream \(upstream(settings)) { server \(settings.upstream.text); keepalive 32; }
        # No other protocol than WebSocket: after a change to HTTP/2 (h2c), whole requests would pass that nobody checks.
        map $http_upgrade $keybound_upgrade { ~*^websocket$ websocket; default ''; }
        map $keybound_upgrade $keybound_connection { websocket upgrade; default ''; }
        # auth_request copies the challenge of its 401 into the answer by itself, whatever status the answer gets then: added
        # once more, there would be two.
        map $keybound_status $keybound_other_challenge { 403 $keybound_challenge; default ''; }
        \(corsVariables(settings))
        server {
        \(listen(settings))
            # The gateway and the API must both see the path as it was sent.
            merge_slashes off;
            # Left at their defaults: otherwise X_Keybound_Subject and X.Keybound.Subject reach the API, and CGI, WSGI and PHP
            # programs read them as X-Keybound-Subject. If another server is the default one of this address, what counts is
            # how they are set there, or in http {}.
            underscores_in_headers off;
            ignore_invalid_headers on;
            # The limit of the API counts: nothing of a body is kept here. Smaller in /_keybound, questions would fail.
            client_max_body_size 0;
            # The gateway's parser would refuse the question, and the client would get 503.
            if ($request_uri ~ [^\\x21-\\x7e]) { return 400; }
        \(preflights(settings))
        \(question(settings))

            location / {
                auth_request /_keybound;
                auth_request_set $keybound_status $upstream_http_x_keybound_status;
                auth_request_set $keybound_challenge $upstream_http_www_authenticate;
                auth_request_set $keybound_nonce $upstream_http_dpop_nonce;
                auth_request_set $keybound_expose $upstream_http_access_control_expose_headers;
                auth_request_set $keybound_retry $upstream_http_retry_after;
        \(reading(settings))
                # Of nginx itself only: what the API answers is passed on (proxy_intercept_errors is off).
                error_page 401 403 = @keybound_refused;
                error_page 500 =503 @keybound_unavailable;

                add_header DPoP-Nonce $keybound_nonce always;
        \(crossOriginFields(settings))

                proxy_pass http://\(upstream(settings));
                proxy_http_version 1.1;
                # Its public address, whatever port and spelling the client wrote: the gateway has compared the host.
                proxy_set_header Host \(settings.authority);
                proxy_set_header X-Forwarded-Host \(settings.authority);
                proxy_set_header Upgrade $keybound_upgrade;
                proxy_set_header Connection $keybound_connection;
                proxy_set_header HTTP2-Settings "";
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header X-Forwarded-Proto $scheme;
                proxy_set_header Authorization "";
                proxy_set_header DPoP "";
                # Some frameworks let these replace the method, the path or the host that the gateway decided about.
        \((ProxySettings.overridingFields + ProxySettings.reservedFields).map { "        proxy_set_header \($0) \"\";" }.joined(separator: "\n"))
        \(passing(settings))
                proxy_buffering off;
                proxy_request_buffering off;
            }

        \(refusals(settings))
        }

        """
    }

    /// nginx has one name for each upstream, and one configuration of this kind for each API.
    private static func gateway(_ settings: ProxySettings) -> String { "keybound_gateway_" + settings.label }
    private static func upstream(_ settings: ProxySettings) -> String { "keybound_upstream_" + settings.label }

    /// Variables that are empty except for a CORS preflight: nginx adds no field with an empty value.
    private static func corsVariables(_ settings: ProxySettings) -> String {
        guard settings.cors != nil else { return "" }
        return """
            map $http_origin $keybound_cors_origin { '' ''; default 1; }
            map $http_access_control_request_method $keybound_cors_method { '' ''; default 1; }
            map "$request_method$keybound_cors_origin$keybound_cors_method" $keybound_preflight { OPTIONS11 1; default ''; }
            map $keybound_preflight $keybound_cors_methods { 1 '\(CORSPolicy.methods)'; default ''; }
            map $keybound_preflight $keybound_cors_fields { 1 '\(CORSPolicy.requestFields)'; default ''; }
            map $keybound_preflight $keybound_cors_age { 1 \(CORSPolicy.maximumAge); default ''; }

            """
    }

    private static func preflights(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        let hidden = CORSPolicy.apiFields.map { "    proxy_hide_header \($0);" }.joined(separator: "\n")
        return """
                # CORS: scripts of \(cors.origin) may call the API. No preflight reaches the gateway or the API.
                add_header Access-Control-Allow-Origin \(cors.origin) always;
                add_header Vary Origin always;
                add_header Access-Control-Allow-Methods $keybound_cors_methods always;
                add_header Access-Control-Allow-Headers $keybound_cors_fields always;
                add_header Access-Control-Max-Age $keybound_cors_age always;
                if ($keybound_preflight) { return 204; }
                # What an API that answers CORS itself says: two values are none to a browser.
            \(hidden)

            """
    }

    /// The fields for scripts of a location that has fields of its own, and so inherits none.
    private static func crossOriginFields(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else {
            return "        add_header Access-Control-Expose-Headers $keybound_expose always;"
        }
        return """
                    add_header Access-Control-Allow-Origin \(cors.origin) always;
                    add_header Access-Control-Expose-Headers "\(CORSPolicy.responseFields)" always;
                    add_header Vary Origin always;
            """
    }

    private static func listen(_ settings: ProxySettings) -> String {
        guard !settings.isPlain else { return "    listen \(settings.host):\(settings.port);" }
        return """
                listen \(settings.port) ssl http2;
                server_name \(settings.host);
                ssl_certificate \(settings.certificate);
                ssl_certificate_key \(settings.key);
            """
    }

    /// The part of a field's name that differs, as nginx writes it in names of variables.
    private static func part(_ name: String) -> String {
        name.dropFirst("X-Keybound-".count).lowercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The variable of a field.
    ///
    /// No variable of the template itself begins like these: a claim in `X-Keybound-Connection` must not become the
    /// `Connection` that the API gets.
    private static func variable(_ name: String) -> String { "$keybound_field_" + part(name) }

    private static func reading(_ settings: ProxySettings) -> String {
        settings.identityFields.map { name in
            "        auth_request_set \(variable(name)) $upstream_http_x_keybound_\(part(name));"
        }.joined(separator: "\n")
    }

    private static func passing(_ settings: ProxySettings) -> String {
        settings.identityFields.map { "        proxy_set_header \($0) \(variable($0));" }
            .joined(separator: "\n")
    }

    private static func question(_ settings: ProxySettings) -> String {
        """
            location = /_keybound {
                internal;
                proxy_pass http://\(gateway(settings))/check/nginx;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_pass_request_body off;
                proxy_set_header Content-Length "";
                proxy_set_header Transfer-Encoding "";
                proxy_set_header X-Forwarded-Method $request_method;
                proxy_set_header X-Forwarded-Proto $scheme;
                proxy_set_header X-Forwarded-Host $host;
                proxy_set_header X-Forwarded-Uri $request_uri;
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header X-Request-Id $request_id;
                proxy_set_header traceparent $http_traceparent;
                proxy_set_header Cookie "";
                proxy_next_upstream off;     # a proof is used up by the first question
                proxy_connect_timeout 2s;
                proxy_read_timeout 5s;
                proxy_buffer_size 32k;       # each identity field may have 1024 bytes
                proxy_buffers 4 32k;
                proxy_busy_buffers_size 64k;
            }

            # RFC 9728: the gateway answers, and needs the path as it was sent.
            location ^~ /.well-known/oauth-protected-resource {
                proxy_pass http://\(gateway(settings));
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header X-Forwarded-Host $host;
                proxy_pass_request_body off;
                proxy_set_header Content-Length "";
                proxy_set_header Transfer-Encoding "";
                proxy_connect_timeout 2s;
                proxy_read_timeout 5s;
                error_page 502 504 =503 @keybound_unavailable;
            }
        """
    }

    private static func refusals(_ settings: ProxySettings) -> String {
        let crossOrigin = crossOriginFields(settings)
        let unavailable = settings.cors == nil ? "" : crossOrigin + "\n"
        return """
                location @keybound_refused {
                    internal;
                    add_header WWW-Authenticate $keybound_other_challenge always;
                    add_header DPoP-Nonce $keybound_nonce always;
            \(crossOrigin)
                    add_header Retry-After $keybound_retry always;
                    add_header Cache-Control no-store always;
                    if ($keybound_status = 400) { return 400; }
                    if ($keybound_status = 403) { return 403; }
                    if ($keybound_status = 404) { return 404; }
                    if ($keybound_status = 421) { return 421; }
                    if ($keybound_status = 503) { return 503; }
                    return 401;
                }

                location @keybound_unavailable {
                    internal;
            \(unavailable)\
                    add_header Retry-After 2 always;
                    add_header Cache-Control no-store always;
                    return 503;
                }
            """
    }
}
