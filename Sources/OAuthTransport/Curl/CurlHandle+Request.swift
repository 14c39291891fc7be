// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import HTTPMessage

extension CurlHandle {
    /// Sets the options for every request: libcurl follows no redirects, stores nothing and handles no challenges
    /// itself.
    ///
    /// - Parameters:
    ///   - configuration: How to connect.
    ///   - limit: The maximum duration of the whole request; `nil` for no limit while there is progress.
    ///   - timeout: How long it may go without progress; `nil` for the timeout of the configuration.
    func configure(_ configuration: CurlTransportConfiguration, limit: Duration?, timeout: Duration?) {
        set(CURLOPT_NOSIGNAL, 1)
        if configuration.addresses == .any {
            setPrivateSockets()
            if let path = configuration.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        } else {
            set(CurlAddressGate(configuration.addresses))
        }
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        if configuration.allowsProtocolChange { set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_NETRC, 0)
        // The URL must be sent as it is in the proof: no dot segment is removed.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // One thread runs all requests. Ending one must not make it wait for a name server that does not answer.
        set(CURLOPT_QUICK_EXIT, 1)
        // A stream of events may be silent for as long as the app likes, but its server must be there.
        set(
            CURLOPT_CONNECTTIMEOUT,
            Self.wholeSeconds(min(timeout ?? configuration.timeout, configuration.timeout))
        )
        let timeout = Self.wholeSeconds(timeout ?? configuration.timeout)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, timeout)
        if let limit { set(CURLOPT_TIMEOUT_MS, max(Int(limit / .milliseconds(1)), 1)) }
        secure(configuration)
    }

    /// At least one second, and at most what libcurl supports: zero would mean no limit.
    private static func wholeSeconds(_ duration: Duration) -> Int {
        let seconds = duration.components.seconds
        let roundedUp = duration.components.attoseconds > 0 ? seconds.addingReportingOverflow(1).partialValue : seconds
        return Int(min(max(roundedUp, 1), Int64(Int32.max / 1000)))
    }

    private func secure(_ configuration: CurlTransportConfiguration) {
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        switch configuration.minimumTLSVersion {
        case .tls12:
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            // RFC 9325 section 4.2: ephemeral keys and authenticated encryption. TLS 1.3 has nothing else.
            set(CURLOPT_SSL_CIPHER_LIST, "ECDHE+AESGCM:ECDHE+CHACHA20")
        case .tls13:
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
        }
        if let file = configuration.usedAuthorityFile {
            set(CURLOPT_CAINFO, file)
            // Otherwise libcurl also uses its built-in directory, which has the system's certificate authorities.
            clear(CURLOPT_CAPATH)
        }
        if let identity = configuration.clientCertificate {
            set(CURLOPT_SSLCERT_BLOB, identity.certificate)
            set(CURLOPT_SSLKEY_BLOB, identity.privateKey)
            // Without a passphrase, libcurl reads that of an encrypted key at address zero.
            set(CURLOPT_KEYPASSWD, "")
        }
    }

    /// Sets the options for one request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - length: The length of its body, in bytes; `nil` when it is unknown: the body is then sent in chunks.
    ///   - proxy: The proxy; empty for none, `nil` for that of the environment.
    func prepare(_ request: CurlRequest, length: Int?, proxy: String?) {
        set(CURLOPT_URL, request.url)
        if let proxy = proxy ?? (request.isLocal ? "" : nil) { set(CURLOPT_PROXY, proxy) }
        // On a closed connection, a body that cannot be rewound keeps libcurl from sending the request again; without a
        // body, it would send it again.
        if length == 0, !request.isRepeatable { set(CURLOPT_FRESH_CONNECT, 1) }
        switch (request.method, request.body.isNone) {
        case ("HEAD", _): set(CURLOPT_NOBODY, 1)
        case ("GET", true): set(CURLOPT_HTTPGET, 1)
        case ("POST", true), ("PUT", true), ("PATCH", true):
            // A length of zero is sent, not omitted (RFC 9110 section 8.6).
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_INFILESIZE_LARGE, length: 0)
            set(CURLOPT_CUSTOMREQUEST, request.method)
        case (_, true): set(CURLOPT_CUSTOMREQUEST, request.method)
        default:
            set(CURLOPT_UPLOAD, 1)
            if let length { set(CURLOPT_INFILESIZE_LARGE, length: length) }
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        for field in request.fields {
            addField(field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
        }
        // Do not wait for 100 Continue before a body; many servers never send it.
        addField("Expect:")
        setFields()
    }
}
#endif
