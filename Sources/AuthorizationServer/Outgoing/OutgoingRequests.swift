// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// Sends the requests of the server itself, to URLs that strangers choose: one rule set for every feature.
///
/// https, the usual port unless configured, few at once, not again to a host that failed just now, few that one address
/// asks for, no redirect, bounded in size and time. Which addresses are connected to is up to the transport, which alone
/// sees what a name resolves to: it must refuse those that are not globally reachable, and use no proxy
/// (draft-ietf-oauth-client-id-metadata-document-02 section 8.6).
actor OutgoingRequests {
    private static let maximumPerHost = 2
    private static let maximumAtOnce = 32
    /// For a host that failed (draft-ietf-oauth-client-id-metadata-document-02 section 5.1).
    private static let pauseAfterFailure = Duration.seconds(10)
    private static let maximumPauses = 1000

    private let transport: any HTTPTransport
    private let ports: Set<UInt16>
    private let allowsInsecureLoopback: Bool
    private let timeout: Duration
    private let limiter: AddressLimiter
    private var running: [String: Task<Result<HTTPResponse, OutgoingFailure>, Never>] = [:]
    private var countByHost: [String: Int] = [:]
    private var pausedUntil: [String: Timestamp] = [:]

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
        // Many sign-ins may need one document at once (draft-ietf-oauth-client-id-metadata-document-02 section 5.2).
        if let task = running[uri.description] { return try await task.value.get() }
        try takePlace(at: host, for: address, now)
        let request = HTTPRequest(target: uri.description, fields: ["Accept": "application/json"])
        let (transport, timeout) = (transport, timeout)
        let task = Task { await Self.send(request, maximumSize, by: transport, within: timeout) }
        running[uri.description] = task
        let result = await task.value
        running[uri.description] = nil
        countByHost[host] = countByHost[host].flatMap { $0 > 1 ? $0 - 1 : nil }
        if (try? result.get().status).map({ $0 >= 500 || $0 == 429 }) ?? true { pause(host, at: now) }
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
        at host: String,
        for address: IPAddress?,
        _ now: Timestamp
    ) throws(OutgoingFailure) {
        if let end = pausedUntil[host], now < end {
            throw OutgoingFailure(.busy(retryAfter: end - now), "the host failed just now")
        }
        guard countByHost[host, default: 0] < Self.maximumPerHost, running.count < Self.maximumAtOnce else {
            throw OutgoingFailure(.busy(retryAfter: .seconds(1)), "too many requests are on their way")
        }
        if let wait = limiter.take(address, at: now) {
            throw OutgoingFailure(.busy(retryAfter: wait), "one address asks for too many documents")
        }
        countByHost[host, default: 0] += 1
    }

    private func pause(_ host: String, at now: Timestamp) {
        if pausedUntil.count >= Self.maximumPauses { pausedUntil = pausedUntil.filter { now < $0.value } }
        // An attacker with a thousand hosts that fail gains requests to them, which the limit of its address counts.
        if pausedUntil.count >= Self.maximumPauses { pausedUntil.removeAll() }
        pausedUntil[host] = now + Self.pauseAfterFailure
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
                    return .failure(OutgoingFailure(.failed, error.reason))
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
