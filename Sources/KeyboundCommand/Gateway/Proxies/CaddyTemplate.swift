// SPDX-License-Identifier: Apache-2.0

/// Caddy with `forward_auth`.
enum CaddyTemplate {
    /// The configuration for an API and others beside it, each with a host of its own, all on one port.
    static func text(_ settings: ProxySettings, others: [ProxySettings] = []) -> String {
        """
        \(settings.comment("Caddy 2.5 or later; tried with 2.6 and 2.11.", "/etc/caddy/Caddyfile", others: others))
        \(surroundings(settings, others))
        \(([settings] + others).map(site).joined())
        """
    }

    private static func site(_ settings: ProxySettings) -> String {
        """
        \(address(settings))
        	route {
        \(cors(settings))\
        		# Debian's 2.6 keeps a client's field when copy_headers finds none in the answer.
        		request_header -X-Keybound*
        		# CGI, WSGI and PHP programs read X_Keybound_Subject and X.Keybound.Subject as X-Keybound-Subject.
        \(ProxySettings.ambiguousCharacters.map { "\t\trequest_header \"-*\($0)*\"" }.joined(separator: "\n"))
        		# What Connection names, reverse_proxy takes off, the fields that are added here among them.
        		@keybound_hop header_regexp Connection (?i)(x[-_]|authorization|dpop)
        		respond @keybound_hop 400
        		# No other protocol than WebSocket: after a change to HTTP/2 (h2c), whole requests would pass that nobody checks.
        		@keybound_websocket header_regexp Upgrade (?i)^websocket$
        		@keybound_protocol not header_regexp Upgrade (?i)^websocket$
        		request_header @keybound_websocket Upgrade websocket
        		request_header @keybound_protocol -Upgrade
        		request_header -HTTP2-Settings
        		# Some frameworks let these replace the method, the path or the host that the gateway decided about.
        \(ProxySettings.overridingFields.map { "\t\trequest_header -\($0)" }.joined(separator: "\n"))
        		# RFC 9728: the gateway answers.
        		@keybound_metadata path /.well-known/oauth-protected-resource /.well-known/oauth-protected-resource/*
        		reverse_proxy @keybound_metadata \(settings.gateway.caddyAddress) {
        			method GET
        			header_up X-Forwarded-Host {http.request.hostport}
        \(dropped(settings))\
        			transport http {
        				dial_timeout 2s
        				response_header_timeout 5s
        			}
        		}
        		forward_auth \(settings.gateway.caddyAddress) {
        			uri /check
        			# The target as it was sent: {uri}, the default, is written anew.
        			header_up X-Forwarded-Uri {http.request.orig_uri}
        			header_up X-Forwarded-Host {http.request.hostport}
        			header_up X-Request-Id {http.request.uuid}
        			header_down -X-Keybound-Status
        			copy_headers \(settings.identityFields.joined(separator: " ")) DPoP-Nonce>X-Keybound-Nonce
        \(settings.cors == nil ? "" : "\t\t\theader_down -Access-Control-Expose-Headers\n")\
        			transport http {
        				dial_timeout 2s
        				response_header_timeout 5s
        			}
        		}
        		# 2.6 copies the name of the placeholder when the answer has no such field.
        		@keybound_nonce header_regexp X-Keybound-Nonce ^[A-Za-z0-9._~-]+$
        		header @keybound_nonce DPoP-Nonce {http.request.header.X-Keybound-Nonce}
        \(settings.cors == nil ? "\t\theader @keybound_nonce Access-Control-Expose-Headers \"DPoP-Nonce, WWW-Authenticate\"\n" : "")\
        		request_header -X-Keybound-Nonce
        		request_header -Authorization
        		request_header -DPoP
        		reverse_proxy \(settings.upstream.caddyAddress) {
        			flush_interval -1
        			# Its public address, whatever port and spelling the client wrote: the gateway has compared the host.
        			header_up Host \(settings.authority)
        			header_up X-Forwarded-Host \(settings.authority)
        \(dropped(settings))\
        		}
        	}
        	handle_errors {
        		header Retry-After 2
        		header Cache-Control no-store
        		respond 503
        	}
        }

        """
    }

    /// What every answer of the site has for scripts; a preflight goes no further.
    private static func cors(_ settings: ProxySettings) -> String {
        guard let cors = settings.cors else { return "" }
        return """
            \t\t# CORS: scripts of \(cors.origin) may call the API. No preflight reaches the gateway or the API.
            \t\theader Access-Control-Allow-Origin \(cors.origin)
            \t\theader Access-Control-Expose-Headers "\(CORSPolicy.responseFields)"
            \t\theader Vary Origin
            \t\t@keybound_preflight {
            \t\t\tmethod OPTIONS
            \t\t\theader Origin *
            \t\t\theader Access-Control-Request-Method *
            \t\t}
            \t\theader @keybound_preflight Access-Control-Allow-Methods "\(CORSPolicy.methods)"
            \t\theader @keybound_preflight Access-Control-Allow-Headers "\(CORSPolicy.requestFields)"
            \t\theader @keybound_preflight Access-Control-Max-Age \(CORSPolicy.maximumAge)
            \t\trespond @keybound_preflight 204

            """
    }

    /// What an API that answers CORS itself says: two values are none to a browser.
    private static func dropped(_ settings: ProxySettings) -> String {
        guard settings.cors != nil else { return "" }
        return CORSPolicy.apiFields.map { "\t\t\theader_down -\($0)\n" }.joined()
    }

    /// What is there once, for all sites.
    private static func surroundings(_ settings: ProxySettings, _ others: [ProxySettings]) -> String {
        guard !settings.isPlain else {
            return """
                {
                	admin off
                	auto_https off
                }
                """
        }
        return """
            # Any other host than the \(others.isEmpty ? "API's" : "APIs'").
            :\(settings.port) {
            	tls \(settings.certificate) \(settings.key)
            	respond 421
            }
            """
    }

    private static func address(_ settings: ProxySettings) -> String {
        guard !settings.isPlain else {
            return """
                http://:\(settings.port) {
                	bind \(settings.host)
                """
        }
        return """
            https://\(settings.host):\(settings.port) {
            	tls \(settings.certificate) \(settings.key)
            """
    }
}
