// SPDX-License-Identifier: Apache-2.0

/// Caddy with `forward_auth`.
enum CaddyTemplate {
    static func text(_ settings: ProxySettings) -> String {
        """
        \(settings.comment("Caddy 2.5 or later; tried with 2.6.", "/etc/caddy/Caddyfile"))
        \(site(settings))
        	route {
        		# Debian's 2.6 keeps a client's field when copy_headers finds none in the answer; programs behind CGI and WSGI
        		# also read the spelling with underscores.
        		request_header -X-Keybound*
        		request_header -X_Keybound*
        		# What Connection names, reverse_proxy takes off, the fields that are added here among them.
        		@keybound_hop header_regexp Connection (?i)(x[-_]|authorization|dpop)
        		respond @keybound_hop 400
        		# Some frameworks let these replace the method or the path that the gateway decided about.
        \(ProxySettings.overridingFields.map { "\t\trequest_header -\($0)" }.joined(separator: "\n"))
        		# RFC 9728: the gateway answers.
        		@keybound_metadata path /.well-known/oauth-protected-resource /.well-known/oauth-protected-resource/*
        		reverse_proxy @keybound_metadata \(settings.gateway.caddyAddress) {
        			method GET
        			header_up X-Forwarded-Host {http.request.hostport}
        		}
        		forward_auth \(settings.gateway.caddyAddress) {
        			uri /check
        			# The target as it was sent: {uri}, the default, is written anew.
        			header_up X-Forwarded-Uri {http.request.orig_uri}
        			header_up X-Forwarded-Host {http.request.hostport}
        			header_up X-Request-Id {http.request.uuid}
        			copy_headers \(settings.identityFields.joined(separator: " ")) DPoP-Nonce>X-Keybound-Nonce
        			transport http {
        				dial_timeout 2s
        				response_header_timeout 5s
        			}
        		}
        		# 2.6 copies the name of the placeholder when the answer has no such field.
        		@keybound_nonce header_regexp X-Keybound-Nonce ^[A-Za-z0-9._~-]+$
        		header @keybound_nonce DPoP-Nonce {http.request.header.X-Keybound-Nonce}
        		header @keybound_nonce Access-Control-Expose-Headers "DPoP-Nonce, WWW-Authenticate"
        		request_header -X-Keybound-Nonce
        		request_header -Authorization
        		request_header -DPoP
        		reverse_proxy \(settings.upstream.caddyAddress) {
        			flush_interval -1
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

    private static func site(_ settings: ProxySettings) -> String {
        guard !settings.isPlain else {
            return """
                {
                	admin off
                	auto_https off
                }
                http://:\(settings.port) {
                	bind \(settings.host)
                """
        }
        let own = """
            # Any other host than the API's.
            :\(settings.port) {
            	tls \(settings.certificate) \(settings.key)
            	respond 421
            }
            """
        return """
            \(own)
            https://\(settings.host):\(settings.port) {
            	tls \(settings.certificate) \(settings.key)
            """
    }
}
