// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
package import OAuthCore
import OAuthSystem

/// A TLS handshake after which the connection is closed: it sends no request, and no other request uses its connection.
struct CurlHandshake {
    /// How it ended.
    struct Outcome {
        let isComplete: Bool
        let certificates: [String]
        /// Why libcurl does not trust the certificate; `nil` for no reason.
        let verificationResult: Int?
    }

    /// The maximum duration of a handshake, with the look-up of the name.
    private static let limit = Duration.seconds(20)

    let url: String
    let configuration: CurlTransportConfiguration
    let library: CurlLibrary

    /// Connects, blocking this thread.
    ///
    /// - Parameter verifying: Whether a certificate that no authority vouches for ends the handshake. Its name is never
    ///   compared.
    /// - Returns: How it ended.
    /// - Throws: `transportFailed` when there is no connection, or no TLS on it.
    func perform(verifying: Bool) throws(OAuthCoreError) -> Outcome {
        // A handle of its own: the connections of another one are never shared.
        let multi = try CurlMulti(library)
        let handle = try CurlHandle(library)
        handle.configure(configuration, limit: Self.limit, timeout: nil)
        handle.set(CURLOPT_SSL_VERIFYPEER, verifying ? 1 : 0)
        handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        handle.set(CURLOPT_CERTINFO, 1)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        handle.set(CURLOPT_URL, url)
        handle.url = url
        if let proxy = configuration.usedProxy { handle.set(CURLOPT_PROXY, proxy) }
        try handle.requireSettings()
        try multi.add(handle)
        defer { multi.remove(handle) }
        while true {
            // There is one handle, so what has finished is this one.
            if let (_, result) = unsafe multi.perform().first { return try outcome(of: handle, result, verifying) }
            multi.wait(milliseconds: 1000)
        }
    }

    private func outcome(
        of handle: CurlHandle,
        _ result: CURLcode,
        _ verifying: Bool
    ) throws(OAuthCoreError) -> Outcome {
        guard result == CURLE_OK || verifying && result == CURLE_PEER_FAILED_VERIFICATION else {
            throw handle.failure(result)
        }
        return Outcome(
            isComplete: result == CURLE_OK,
            certificates: handle.certificates,
            verificationResult: result == CURLE_OK ? nil : handle.verificationResult
        )
    }
}

extension CurlTransport {
    /// Finds out what a server presents in a TLS handshake, and whether this transport trusts it.
    ///
    /// Certificates are taken from a handshake without verification, since one that is not trusted ends a handshake
    /// before it is known which it is. That connection is closed at once, and nothing is sent on it.
    ///
    /// - Parameter url: A URL of https, of which only scheme, host and port are used.
    /// - Returns: The certificates; their names are not compared with that of the server.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed`` when there is no connection, or no TLS on it.
    package func presentedCertificates(at url: String) async throws(OAuthCoreError) -> PresentedCertificates {
        let configuration = configuration
        do {
            return try await BlockingWork.run {
                try SIGPIPEBlock.withoutIt {
                    let library = try CurlLibrary.load()
                    let handshake = CurlHandshake(url: url, configuration: configuration, library: library)
                    let verified = try handshake.perform(verifying: true)
                    return PresentedCertificates(
                        chain: try handshake.perform(verifying: false).certificates,
                        isTrusted: verified.isComplete,
                        verificationResult: verified.verificationResult
                    )
                }
            }
        } catch {
            throw error as? OAuthCoreError
                ?? OAuthCoreError(.transportFailed, "the certificate of the server cannot be read", underlying: error)
        }
    }
}
#endif
