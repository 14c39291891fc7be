// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
import Foundation
import OAuthCore
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Delivers the events of URLSession to the caller that waits for the task.
final class URLSessionTaskRouter: NSObject, URLSessionDataDelegate {
    typealias Continuation = CheckedContinuation<HTTPURLResponse, any Error>

    private struct Pending {
        /// The caller that waits for the head of the response; `nil` once it has arrived.
        var head: Continuation?
        let body: ResponseBuffer

        mutating func takeHead() -> Continuation? {
            defer { head = nil }
            return head
        }
    }

    private struct Memory {
        var pending: [Int: Pending] = [:]
        /// Why tasks were ended that no caller waited for: before one did, or after the last event.
        var ended: [Int: OAuthCoreError] = [:]

        /// Notes the end of a task, unless a caller waits for it; the first reason counts.
        mutating func noteEnd(of identifier: Int, _ reason: OAuthCoreError) {
            if pending[identifier] == nil, ended[identifier] == nil { ended[identifier] = reason }
        }
    }

    /// Returns the certificate to present to a host; `nil` for none.
    typealias Certificate = @Sendable (_ host: String) -> URLCredential?

    private let memory = Mutex(Memory())
    private let certificate: Certificate?

    init(_ certificate: Certificate? = nil) {
        self.certificate = certificate
        super.init()
    }

    /// Starts a task.
    ///
    /// The continuation is resumed once, when the head of the response has arrived or the task has ended.
    func run(_ task: URLSessionDataTask, body: ResponseBuffer, _ continuation: Continuation) {
        let end = memory.withLock { memory -> OAuthCoreError? in
            if let end = memory.ended.removeValue(forKey: task.taskIdentifier) { return end }
            memory.pending[task.taskIdentifier] = Pending(head: continuation, body: body)
            return nil
        }
        if let end {
            task.cancel()
            continuation.resume(throwing: end)
        } else {
            task.resume()
        }
    }

    /// Cancels a task, also one that is about to be started: URLSession would report its end to no caller.
    func cancel(_ task: URLSessionDataTask) {
        let isRunning = memory.withLock { memory in
            memory.noteEnd(of: task.taskIdentifier, OAuthCoreError(.cancelled, "the request was cancelled"))
            return memory.pending[task.taskIdentifier] != nil
        }
        if isRunning { task.cancel() }
    }

    /// Ends a task with an error of the caller, also one that is about to be started: a body that cannot be read from its
    /// first piece on would otherwise be sent as an empty one.
    func giveUp(_ task: URLSessionDataTask, _ error: OAuthCoreError) {
        let entry = memory.withLock { memory in
            memory.noteEnd(of: task.taskIdentifier, error)
            return memory.pending.removeValue(forKey: task.taskIdentifier)
        }
        guard let entry else { return }
        entry.body.finish(error)
        entry.head?.resume(throwing: error)
        task.cancel()
    }

    /// Cancels a task without references, and removes the note that ``cancel(_:)`` or ``giveUp(_:_:)`` may have
    /// left.
    func abandon(_ task: URLSessionDataTask) {
        let isRunning = memory.withLock { memory in
            memory.ended[task.taskIdentifier] = nil
            return memory.pending[task.taskIdentifier] != nil
        }
        if isRunning { task.cancel() }
    }

    /// Returns a redirect like any other response: following it would send token and proof to another URL (RFC 9449
    /// section 4.3 binds the proof to this URL).
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Returns a 401 like any other response; the system checks the certificate of the server, and a host that asks for a
    /// client certificate gets the one that the app has for it.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // Here the challenge comes after the whole response, which is lost if no credential is offered.
        if let response = challenge.failureResponse as? HTTPURLResponse, let entry = take(task) {
            entry.head?.resume(returning: response)
            entry.body.finish()
            completionHandler(.cancelAuthenticationChallenge, nil)
            return
        }
        #else
        let space = challenge.protectionSpace
        if space.authenticationMethod == NSURLAuthenticationMethodClientCertificate,
            let credential = certificate?(space.host)
        {
            completionHandler(.useCredential, credential)
            return
        }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // On Linux, responses of status 1xx are reported too; the final one comes after them (RFC 9110 section 15.2).
        if let response = response as? HTTPURLResponse, response.statusCode >= 200 {
            takeHead(dataTask)?.resume(returning: response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let body = memory.withLock { $0.pending[dataTask.taskIdentifier]?.body }
        if let body, !body.append([UInt8](data)) { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let entry = take(task) else { return }
        if let error {
            let error = Self.withoutURL(error, task.originalRequest?.url?.absoluteString)
            entry.body.finish(error)
            entry.head?.resume(throwing: error)
        } else if let response = task.response as? HTTPURLResponse {
            entry.body.finish()
            entry.head?.resume(returning: response)
        } else {
            entry.head?.resume(
                throwing: OAuthCoreError(
                    .transportFailed,
                    "the response is not one of HTTP",
                    underlying: UnreadableResponse()
                )
            )
        }
    }

    private func takeHead(_ task: URLSessionTask) -> Continuation? {
        memory.withLock { $0.pending[task.taskIdentifier]?.takeHead() }
    }

    private func take(_ task: URLSessionTask) -> Pending? {
        memory.withLock { $0.pending.removeValue(forKey: task.taskIdentifier) }
    }

    /// Errors of URLSession contain the URL, which may contain a secret: only the code is kept, and host and port if there is
    /// no connection.
    private static func withoutURL(_ error: any Error, _ url: String?) -> OAuthCoreError {
        guard let code = (error as? URLError)?.code else {
            return OAuthCoreError(.transportFailed, "the connection failed")
        }
        guard code != .cancelled else { return OAuthCoreError(.cancelled, "the request was cancelled") }
        return OAuthCoreError(
            .transportFailed,
            reason(code, url),
            underlying: URLError(code),
            wasSent: meansNothingWasSent.contains(code) ? false : nil
        )
    }

    /// Errors before a connection is there.
    private static let meansNothingWasSent: Set<URLError.Code> = [
        .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .secureConnectionFailed,
        .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
        .serverCertificateHasUnknownRoot, .clientCertificateRejected, .clientCertificateRequired,
        .internationalRoamingOff, .dataNotAllowed,
    ]

    private static func reason(_ code: URLError.Code, _ url: String?) -> String {
        switch code {
        case .timedOut: "the server did not answer in time"
        case .cannotFindHost, .dnsLookupFailed: "the name of the server cannot be resolved"
        case .cannotConnectToHost: ConnectionFailure.reason(connectingTo: url)
        case .networkConnectionLost: "the connection broke off"
        case .notConnectedToInternet: "there is no connection to the internet"
        case .secureConnectionFailed: "no secure connection can be made to the server"
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot:
            "the certificate of the server is not trusted"
        default: "the connection failed (URLError \(code.rawValue))"
        }
    }
}
#endif
