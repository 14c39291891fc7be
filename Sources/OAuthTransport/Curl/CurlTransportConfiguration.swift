// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem

/// How a ``CurlTransport`` connects.
///
/// The defaults are the safe choice.
///
/// It does not print: the proxy URL may contain a password.
public struct CurlTransportConfiguration: Sendable, RedactedSecret {
    /// The minimum version of TLS.
    public enum TLSVersion: Sendable {
        /// TLS 1.2 (RFC 5246) with the ciphers that RFC 9325 section 4.2 recommends.
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// How long a request may go without progress, in whole seconds.
    public var timeout = Duration.seconds(30)
    /// The maximum duration of a protocol request, for servers that send a byte now and then.
    ///
    /// A request of the app has no limit while there is progress.
    public var exchangeTimeout = Duration.seconds(60)
    /// The maximum size of an API's response that is received as a whole, in bytes.
    public var maximumResponseSize = 64 << 20
    /// The proxy, as `http://proxy.example:3128`, `https://...` or `socks5h://...`; empty for none; `nil` for the proxy
    /// of the environment (`https_proxy`, `http_proxy`, `no_proxy`).
    ///
    /// Unencrypted requests to `127.0.0.1` or `[::1]` use no proxy of the environment, since it would make them leave
    /// the machine. For https, a proxy sees only the name of the server.
    public var proxy: String?
    /// The minimum version of TLS.
    public var minimumTLSVersion = TLSVersion.tls12
    /// A PEM file with the only certificate authorities that are trusted.
    ///
    /// `nil` for the file that the environment names (`SSL_CERT_FILE`, as for OpenSSL and the `curl` command), or else for
    /// those of the system.
    public var certificateAuthorityFile: String?
    /// The client certificate for RFC 8705; `nil` for none.
    public var clientCertificate: ClientCertificate?
    /// Which addresses it connects to.
    ///
    /// With anything but ``AddressPolicy/any`` it uses no proxy, which would connect for it.
    public var addresses = AddressPolicy.any

    /// Whether a server may change the protocol of a connection (RFC 9110 section 7.8).
    ///
    /// Requests then go over HTTP/1.1, the only version that supports this, and 101 is a response without a body.
    package var allowsProtocolChange = false

    /// The path of a socket in the file system that it connects to, whatever the URL names; `nil` for none.
    ///
    /// Ignored with any ``addresses`` but ``AddressPolicy/any``, which are checked for IP addresses only.
    package var unixSocket: String?

    /// A proxy would connect in place of this machine, to addresses that were not checked.
    var usedProxy: String? { addresses == .any ? proxy : "" }

    /// The file of authorities that is used; `nil` for those of the system.
    var usedAuthorityFile: String? {
        if let certificateAuthorityFile { return certificateAuthorityFile }
        let named = EnvironmentVariables.value("SSL_CERT_FILE")
        return named?.isEmpty == true ? nil : named
    }

    /// Makes a configuration with the safe defaults.
    public init() {}
}
#endif
