// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import HTTPMessage

extension CurlHandle {
    /// What holds for every request: nothing is followed, kept, or answered by libcurl itself.
    ///
    /// - Parameters:
    ///   - configuration: How to connect.
    ///   - limit: How long the request may take as a whole; `nil` for as long as there is progress.
    ///   - timeout: How long it may go without progress; `nil` for what the configuration says.
    func configure(_ configuration: CurlTransportConfiguration, limit: Duration?, timeout: Duration?) {
        set(CURLOPT_NOSIGNAL, 1)
        setPrivateSockets()
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_NETRC, 0)
        // What is sent is what the proof speaks of: no dot segment is taken out.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        let timeout = Self.wholeSeconds(timeout ?? configuration.timeout)
        set(CURLOPT_CONNECTTIMEOUT, timeout)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, timeout)
        if let limit { set(CURLOPT_TIMEOUT_MS, max(Int(limit / .milliseconds(1)), 1)) }
        secure(configuration)
    }

    /// One at least, and what libcurl can count: zero would be for ever.
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
        if let file = configuration.certificateAuthorityFile {
            set(CURLOPT_CAINFO, file)
            // A directory that libcurl was built with counts beside the file, and holds the authorities of the system.
            clear(CURLOPT_CAPATH)
        }
        if let identity = configuration.clientCertificate {
            set(CURLOPT_SSLCERT_BLOB, identity.certificate)
            set(CURLOPT_SSLKEY_BLOB, identity.privateKey)
            // Without any, libcurl reads the passphrase of an encrypted key at address zero.
            set(CURLOPT_KEYPASSWD, "")
        }
    }

    /// What is said in this request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - length: How long its body is; `nil` when nobody knows, which is sent in chunks.
    ///   - proxy: The proxy; nothing for none, `nil` for that of the environment.
    func prepare(_ request: CurlRequest, length: Int?, proxy: String?) {
        set(CURLOPT_URL, request.url)
        if let proxy = proxy ?? (request.isLocal ? "" : nil) { set(CURLOPT_PROXY, proxy) }
        // On a connection that is gone libcurl notices a body that it cannot rewind; where there is none, it would send again.
        if length == 0, !request.isRepeatable { set(CURLOPT_FRESH_CONNECT, 1) }
        switch (request.method, request.body.isNone) {
        case ("HEAD", _): set(CURLOPT_NOBODY, 1)
        case ("GET", true): set(CURLOPT_HTTPGET, 1)
        case ("POST", true), ("PUT", true), ("PATCH", true):
            // A length of zero is said, not left out (RFC 9110 section 8.6).
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
        // No waiting for 100 Continue before a body, which many servers never send.
        addField("Expect:")
        setFields()
    }
}
#endif
