// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import Synchronization

/// Delivers requests to the fakes in the same process, by scheme, host and port.
final class FakeNetwork: HTTPTransport {
    private let hosts = Mutex<[String: any FakeHost]>([:])
    private let clock: TestClock

    init(clock: TestClock) {
        self.clock = clock
    }

    /// Adds a host.
    ///
    /// - Returns: `false`, without any change, if its origin is taken.
    func add(_ host: any FakeHost, at origin: String) -> Bool {
        hosts.withLock { hosts in
            guard hosts[origin] == nil else { return false }
            hosts[origin] = host
            return true
        }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        guard !Task.isCancelled else { throw Self.cancelled }
        guard let uri = try? URI(parsing: request.target), let origin = uri.origin,
            let host = hosts.withLock({ $0[origin] })
        else { throw OAuthCoreError(.transportFailed, "no fake server was set up for the host of the request") }
        var received = request
        received.target = Self.originForm(of: uri)
        received.fields["Host"] = String(origin.drop { $0 != "/" }.dropFirst(2))
        var response = try await response(of: host, to: received)
        if request.method == "HEAD" { response.body = [] }
        guard response.body.count <= maximumBodySize else {
            throw OAuthCoreError(.transportFailed, "the response is larger than \(maximumBodySize) bytes")
        }
        return response
    }

    private func response(
        of host: any FakeHost,
        to request: HTTPRequest
    ) async throws(OAuthCoreError) -> HTTPResponse {
        switch host.faults.take(forPath: String(request.path))?.kind {
        case nil: break
        case .answer(let response): return response
        case .failure: throw Self.failed
        case .lostResponse:
            _ = await host.respond(to: request)
            throw Self.failed
        case .silence: throw await Self.waitForCancellation()
        case .delay(let duration): clock.advance(by: duration)
        case .newNonceSecret: try Self.replaceNonceSecret(of: host)
        }
        return await host.respond(to: request)
    }

    private static func replaceNonceSecret(of host: any FakeHost) throws(OAuthCoreError) {
        do {
            try host.replaceNonceSecret()
        } catch {
            throw OAuthCoreError(.transportFailed, "the fake server cannot be restarted", underlying: error)
        }
    }

    /// The target as a server receives it (RFC 9112 section 3.2.1).
    private static func originForm(of uri: URI) -> String {
        (uri.path.isEmpty ? "/" : uri.path) + (uri.query.map { "?\($0)" } ?? "")
    }

    private static func waitForCancellation() async -> OAuthCoreError {
        // Ends early only through cancellation.
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        return cancelled
    }

    private static let failed = OAuthCoreError(.transportFailed, "the network failed, as the test asked for")
    private static let cancelled = OAuthCoreError(.cancelled, "the request was cancelled")
}
