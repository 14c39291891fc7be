// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem

/// The key sets of clients whose metadata document has a `jwks_uri`, fetched when an assertion or a request object must be
/// verified.
///
/// A set is used as long as its fields say, and no longer, even if it cannot be fetched again. A JWT with an unknown
/// `kid` causes a new fetch, because clients rotate keys; since anybody can invent a `kid`, attempts are at least
/// ``minimumInterval`` apart. The sets are in memory: each process fetches its own.
actor ClientKeySets {
    /// What is known of one URL.
    private struct Entry {
        /// What was fetched last, and when.
        var fetched: (set: ClientKeySet, time: Timestamp)?
        /// The last attempt, successful or not.
        var triedAt: Timestamp
        /// Why it failed.
        var failure: ProtocolFailure?
    }

    private enum Outcome: Sendable {
        case fetched(ClientKeySet)
        case failed(ProtocolFailure)
        /// No request was sent, so the next one need not wait.
        case notSent(ProtocolFailure)
    }

    /// The time between two attempts to fetch a set.
    private static let minimumInterval = Duration.seconds(10)
    private static let maximumCount = 500

    private let outgoing: OutgoingRequests
    private let report: @Sendable (String) -> Void
    private var entries: [String: Entry] = [:]
    private var running: [String: Task<Outcome, Never>] = [:]

    init(_ outgoing: OutgoingRequests, report: @escaping @Sendable (String) -> Void) {
        (self.outgoing, self.report) = (outgoing, report)
    }

    /// The keys at a URL, fetched again if they are old or lack the requested one.
    ///
    /// - Parameters:
    ///   - uri: `jwks_uri` of the client.
    ///   - keyID: `kid` of the JWT.
    ///   - address: Who sent it.
    ///   - now: The time.
    /// - Returns: The keys; they lack the requested one if the client does not publish it.
    /// - Throws: A failure that says why there are no keys.
    func keys(
        at uri: URI,
        forKeyID keyID: String?,
        askedBy address: IPAddress?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> JWKSet {
        let name = uri.description
        let usable = usableKeys(name, at: now)
        if let usable, Self.mayContain(keyID, in: usable) { return usable }
        if running[name] == nil, let entry = entries[name],
            Self.isPast(entry.triedAt, by: Self.minimumInterval, at: now)
        {
            if let usable { return usable }
            if let failure = entry.failure { throw failure }
        }
        switch await fetch(uri, name, for: address, at: now) {
        case .fetched(let set): return set.keys
        case .failed(let failure), .notSent(let failure):
            // An invented `kid` must not lock out the client while its web server is down.
            guard let usable else { throw failure }
            return usable
        }
    }

    private func usableKeys(_ name: String, at now: Timestamp) -> JWKSet? {
        guard let fetched = entries[name]?.fetched, Self.isPast(fetched.time, by: fetched.set.lifetime, at: now)
        else { return nil }
        return fetched.set.keys
    }

    /// Fetches a set, or waits for the attempt that is under way.
    private func fetch(_ uri: URI, _ name: String, for address: IPAddress?, at now: Timestamp) async -> Outcome {
        if let task = running[name] { return await task.value }
        let (outgoing, report) = (outgoing, report)
        let task = Task { await Self.outcome(of: uri, by: outgoing, for: address, at: now, report) }
        running[name] = task
        let outcome = await task.value
        running[name] = nil
        note(outcome, of: name, at: now)
        return outcome
    }

    private func note(_ outcome: Outcome, of name: String, at now: Timestamp) {
        if case .notSent = outcome { return }
        var entry = entries[name] ?? Entry(triedAt: now)
        entry.triedAt = now
        entry.failure = nil
        switch outcome {
        case .fetched(let set): entry.fetched = (set: set, time: now)
        case .failed(let failure): entry.failure = failure
        case .notSent: break
        }
        if entries[name] == nil, entries.count >= Self.maximumCount {
            // Whoever publishes so many documents gains requests, which the limit of the address counts.
            let oldest = entries.min { $0.value.triedAt < $1.value.triedAt }?.key
            if let oldest { entries[oldest] = nil }
        }
        entries[name] = entry
    }

    private static func outcome(
        of uri: URI,
        by outgoing: OutgoingRequests,
        for address: IPAddress?,
        at now: Timestamp,
        _ report: @Sendable (String) -> Void
    ) async -> Outcome {
        let response: HTTPResponse
        do throws(OutgoingFailure) {
            response = try await outgoing.get(uri, maximumSize: ClientKeySet.maximumSize, for: address, at: now)
        } catch {
            report("the key set of a client at \(uri.host ?? "") was not fetched: \(error.reason)")
            switch error.kind {
            case .forbidden: return .failed(.clientKeySet("this server does not send requests to its URL"))
            case .unreachable, .failed: return .failed(.clientKeySet("it cannot be fetched"))
            case .busy(let wait): return .notSent(.tooManyRequests("for key sets of clients", retryAfter: wait))
            }
        }
        do throws(ProtocolFailure) {
            return .fetched(try ClientKeySet(response))
        } catch {
            return .failed(error)
        }
    }

    private static func mayContain(_ keyID: String?, in keys: JWKSet) -> Bool {
        guard let keyID else { return true }
        return keys.keys.contains { $0.keyID?.isIdentical(to: keyID) ?? false }
    }

    /// Whether less than a duration has passed since a time.
    ///
    /// A time in the future, left by a wrong clock, does not count; but a request that began earlier may come here later.
    private static func isPast(_ time: Timestamp, by duration: Duration, at now: Timestamp) -> Bool {
        time <= now + minimumInterval && now - time < duration
    }
}
