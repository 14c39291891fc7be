// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem

/// How a ``CurlTransport`` connects; the defaults are the safe choice.
///
/// It does not print: there may be a password in the address of the proxy.
public struct CurlTransportConfiguration: Sendable, RedactedSecret {
    /// The least version of TLS.
    public enum TLSVersion: Sendable {
        /// TLS 1.2 (RFC 5246) with the ciphers that RFC 9325 section 4.2 recommends.
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// How long a request may go without progress, in whole seconds.
    public var timeout = Duration.seconds(30)
    /// How long a request of the protocol may take as a whole, for servers that send a byte now and then; requests of the
    /// app may take as long as there is progress.
    public var exchangeTimeout = Duration.seconds(60)
    /// What a response of an API may hold, in bytes, when it is received as a whole.
    public var maximumResponseSize = 64 << 20
    /// The proxy, as `http://proxy.example:3128`, `https://...` or `socks5h://...`; nothing for none; `nil` for what the
    /// environment says (`https_proxy`, `http_proxy`, `no_proxy`).
    ///
    /// What goes in clear to `127.0.0.1` or `[::1]` goes through no proxy of the environment, which would make it leave this
    /// machine. A proxy for https sees the name of the server, and nothing else.
    public var proxy: String?
    /// The least version of TLS.
    public var minimumTLSVersion = TLSVersion.tls12
    /// A PEM file of the certificate authorities that servers may be certified by, and by no others; `nil` for the system's.
    public var certificateAuthorityFile: String?
    /// What the client shows who it is with, for RFC 8705; `nil` for nothing.
    public var clientCertificate: ClientCertificate?

    /// The safe choice.
    public init() {}
}
#endif
