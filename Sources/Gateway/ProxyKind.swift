// SPDX-License-Identifier: Apache-2.0

/// The proxies that a gateway knows how to answer.
public enum ProxyKind: String, Sendable, Hashable, CaseIterable {
    /// nginx, with `auth_request`.
    case nginx
    /// Caddy, with `forward_auth`.
    case caddy
    /// HAProxy, with a Lua action.
    case haproxy
    /// Envoy, with `ext_authz` over HTTP.
    case envoy
    /// Traefik, with `ForwardAuth`.
    case traefik

    /// The path at which the gateway answers it.
    public var path: String {
        switch self {
        case .nginx: "/check/nginx"
        case .envoy: "/check/envoy"
        case .caddy, .haproxy, .traefik: "/check"
        }
    }
}
