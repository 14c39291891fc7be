// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The configuration of nginx in front of a server, as docs/operations.md has it.
enum NginxSite {
    /// The block for an issuer.
    ///
    /// - Parameters:
    ///   - issuer: The public address, with https.
    ///   - address: Where the server listens: an address and a port, `unix:` and a path, or `systemd`.
    /// - Returns: The text, with a line break at its end.
    static func text(issuer: URI, listening address: String) -> String {
        let host = issuer.host ?? "auth.example.com"
        let upstream =
            switch address {
            case "systemd": "unix:/run/keybound/server.sock"
            default: address
            }
        return """
            server {
                listen \(issuer.port ?? 443) ssl;
                server_name \(host);
                ssl_certificate /etc/ssl/\(host).crt;
                ssl_certificate_key /etc/ssl/\(host).key;
                client_max_body_size 64k;
                large_client_header_buffers 4 16k;
                ignore_invalid_headers off;          # a field with an odd name is not dropped in silence
                client_header_timeout 20s;
                client_body_timeout 20s;

                location / {
                    proxy_pass http://\(upstream);
                    proxy_http_version 1.1;
                    proxy_buffer_size 64k;           # the redirect of a long request does not fit in the default, 4k
                    proxy_buffers 4 64k;
                    proxy_busy_buffers_size 64k;
                    proxy_set_header Connection "";
                    proxy_set_header Host $host;
                    proxy_set_header X-Forwarded-For $remote_addr;
                    proxy_set_header Forwarded "";
                    proxy_set_header X-Request-Id $request_id;
                    proxy_request_buffering on;      # a slow client waits here, not in the server
                }
                location = /ready { return 404; }    # for the machines beside the server only
            }

            """
    }
}
