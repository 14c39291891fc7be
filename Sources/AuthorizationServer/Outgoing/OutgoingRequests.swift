// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// Sends the requests of the server itself, to URLs that strangers choose: one rule set for every feature.
///
/// https, the usual port unless configured, few at once, not again to a URL that failed just now or to a host that there
/// was no connection to, few that one address asks for, no redirect, bounded in size and time. Which addresses are
/// connected to is up to the transport, which alone sees what a name resolves to: it must refuse those that are not globally
/// reachable, and use no proxy (draft-ietf-oauth-client-id-metadata-document-02 section 8.6).
actor OutgoingRequests {
    private static let maximumPerHost = 2
    private static let maximumAtOnce = 32

    private let transport: any HTTPTransport
    private let ports: Set<UInt16>
    private let allowsInsecureLoopback: Bool
    private let timeout: Duration
    private let limiter: AddressLimiter
    private var running: [String: Task<Result<HTTPResponse, OutgoingFailure>, Never>] = [:]
    private var countByHost: [String: Int] = [:]
    private var pausedHosts = Pauses()
    private var pausedURLs = Pauses()

    init(
        _ transport: any HTTPTransport,
        ports: Set<UInt16>,
        allowsInsecureLoopback: Bool,
        limit: RateLimit?,
        timeout: Duration = .seconds(3)
    ) {
        self.transport = transport
        self.ports = ports
        self.allowsInsecureLoopback = allowsInsecureLoopback
        self.timeout = timeout
        limiter = AddressLimiter(limit)
    }

    /// Fetches a document, or shares the response of a request for it that is on its way.
    ///
    /// - Parameters:
    ///   - uri: Its URL.
    ///   - maximumSize: The most bytes that are read.
    ///   - address: The client that caused the request.
    ///   - now: The time.
    /// - Returns: The response, whatever its status; a redirect is not followed.
    /// - Throws: ``OutgoingFailure``.
    func get(
        _ uri: URI,
        maximumSize: Int,
        for address: IPAddress?,
        at now: Timestamp
    ) async throws(OutgoingFailure) -> HTTPResponse {
        let host = try checkedOrigin(of: uri)
        // What is too large for a metadata document may be a good key set: a stranger who names its URL as a client must not
        // pause it.
        let name = "\(maximumSize) \(uri.description)"
        // Many sign-ins may need one document at once (draft-ietf-oauth-client-id-metadata-document-02 section 5.2).
        if let task = running[name] { return try await task.value.get() }
        try takePlace(for: name, at: host, from: address, now)
        let request = HTTPRequest(target: uri.description, fields: ["Accept": "application/json"])
        let (transport, timeout) = (transport, timeout)
        let task = Task { await Self.send(request, maximumSize, by: transport, within: timeout) }
        running[name] = task
        let result = await task.value
        running[name] = nil
        countByHost[host] = countByHost[host].flatMap { $0 > 1 ? $0 - 1 : nil }
        pauseIfFailed(result, of: name, at: host, now)
        return try result.get()
    }

    private func checkedOrigin(of uri: URI) throws(OutgoingFailure) -> String {
        let isLoopback = allowsInsecureLoopback && uri.isLoopbackIPLiteral
        guard uri.scheme == "https" || (uri.scheme == "http" && isLoopback), uri.userinfo == nil, uri.fragment == nil,
            uri.host?.isEmpty == false, let origin = uri.origin
        else { throw OutgoingFailure(.forbidden, "the URL is not https, or has user information or a fragment") }
        guard isLoopback || ports.contains(uri.port ?? 443) else {
            throw OutgoingFailure(.forbidden, "the port of the URL is none that requests are sent to")
        }
        return origin
    }

    private func takePlace(
        for name: String,
        at host: String,
        from address: IPAddress?,
        _ now: Timestamp
    ) throws(OutgoingFailure) {
        if let wait = pausedHosts.wait(for: host, at: now) {
            throw OutgoingFailure(.busy(retryAfter: wait), "there was no connection to the host just now")
        }
        if let wait = pausedURLs.wait(for: name, at: now) {
            throw OutgoingFailure(.busy(retryAfter: wait), "the URL failed just now")
        }
        guard countByHost[host, default: 0] < Self.maximumPerHost, running.count < Self.maximumAtOnce else {
            throw OutgoingFailure(.busy(retryAfter: .seconds(1)), "too many requests are on their way")
        }
        if let wait = limiter.take(address, at: now) {
            throw OutgoingFailure(.busy(retryAfter: wait), "one address asks for too many documents")
        }
        countByHost[host, default: 0] += 1
    }

    /// Leaves alone for a while what failed: the host if there was no connection to it, otherwise only the URL.
    ///
    /// Strangers choose the path, and most hosts have one for every kind of answer. If that counted for the host, anybody could
    /// keep out all clients whose documents it has.
    private func pauseIfFailed(
        _ result: Result<HTTPResponse, OutgoingFailure>,
        of name: String,
        at host: String,
        _ now: Timestamp
    ) {
        switch result {
        case .success(let response):
            if response.status >= 500 || response.status == 429 { pausedURLs.begin(for: name, at: now) }
        case .failure(let failure):
            if case .unreachable = failure.kind {
                pausedHosts.begin(for: host, at: now)
            } else {
                pausedURLs.begin(for: name, at: now)
            }
        }
    }

    private static func send(
        _ request: HTTPRequest,
        _ maximumSize: Int,
        by transport: any HTTPTransport,
        within timeout: Duration
    ) async -> Result<HTTPResponse, OutgoingFailure> {
        await withTaskGroup(of: Result<HTTPResponse, OutgoingFailure>.self) { group in
            group.addTask {
                do throws(OAuthCoreError) {
                    return .success(try await transport.send(request, maximumBodySize: maximumSize))
                } catch {
                    let kind: OutgoingFailure.Kind = error.wasSent == false ? .unreachable : .failed
                    return .failure(OutgoingFailure(kind, error.reason))
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(OutgoingFailure(.failed, "there was no complete response within \(timeout)"))
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(OutgoingFailure(.failed, "there was no response"))
        }
    }
}

/// What is left alone for a while because it failed (draft-ietf-oauth-client-id-metadata-document-02 section 5.1).
private struct Pauses {
    private static let length = Duration.seconds(10)
    private static let maximumCount = 1000

    private var ends: [String: Timestamp] = [:]

    /// How long a request must wait; `nil` if it may be sent.
    ///
    /// A pause that ends later than any can was left by a clock that was ahead, and is over; a request that began a little
    /// earlier than the one that failed waits.
    func wait(for name: String, at now: Timestamp) -> Duration? {
        guard let end = ends[name], now < end, end - now <= Self.length * 2 else { return nil }
        return min(end - now, Self.length)
    }

    mutating func begin(for name: String, at now: Timestamp) {
        if ends.count >= Self.maximumCount { ends = ends.filter { now < $0.value } }
        // An attacker with a thousand names that fail gains requests to them, which the limit of its address counts.
        if ends.count >= Self.maximumCount { ends.removeAll() }
        ends[name] = now + Self.length
    }
}
