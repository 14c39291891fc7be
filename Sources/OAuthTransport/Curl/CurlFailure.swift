// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import OAuthCore

/// Errors of libcurl.
enum CurlFailure {
    /// The error for a result code.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - library: The library that reported it.
    ///   - url: The URL of the request; `nil` for a server at a socket in the file system.
    ///   - wasSent: Whether a part of the request was sent; `nil` if that is not known.
    /// - Returns: The error; of the URL it has host and port at most.
    static func error(
        _ result: CURLcode,
        _ library: CurlLibrary,
        url: String?,
        wasSent: Bool?
    ) -> OAuthCoreError {
        OAuthCoreError(.transportFailed, reason(result, library, url), wasSent: wasSent)
    }

    private static func reason(_ result: CURLcode, _ library: CurlLibrary, _ url: String?) -> String {
        switch result {
        case CURLE_OPERATION_TIMEDOUT: "the server did not answer in time"
        case CURLE_COULDNT_RESOLVE_HOST: "the name of the server cannot be resolved"
        case CURLE_COULDNT_RESOLVE_PROXY: "the name of the proxy cannot be resolved"
        case CURLE_COULDNT_CONNECT: ConnectionFailure.reason(connectingTo: url)
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND:
            "the connection broke off"
        case CURLE_ABORTED_BY_CALLBACK: "the body of the request cannot be read, or is not as long as was said"
        case CURLE_PEER_FAILED_VERIFICATION: "the certificate of the server is not trusted"
        case CURLE_SSL_CONNECT_ERROR: "no secure connection can be made to the server"
        case CURLE_SSL_CERTPROBLEM: "the client certificate or its key cannot be used"
        case CURLE_SSL_CACERT_BADFILE: "the file of certificate authorities cannot be read"
        default: "the connection failed (libcurl \(result.rawValue): \(text(result, library)))"
        }
    }

    private static func text(_ result: CURLcode, _ library: CurlLibrary) -> String {
        unsafe library.easyErrorText(result).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
#endif
