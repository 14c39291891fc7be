// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

/// Caches the metadata of a server for all clients that share it, and fetches it once for all callers that wait.
actor MetadataCache {
    private struct Entry: Sendable {
        let document: MetadataDiscovery.Document
        let fetchedAt: Timestamp
    }

    /// How long a document is used whose newer version cannot be fetched.
    private static let maximumStaleness = Duration.seconds(86_400)
    /// How long to wait before another fetch after one failed, while there is a document to go on with.
    private static let pause = Duration.seconds(60)

    private var entry: Entry?
    private var running: Task<MetadataDiscovery.Document, any Error>?
    private var failedAt: Timestamp?
    private var bearerSince: Timestamp?

    /// The document that was fetched last, however old.
    var known: AuthorizationServerMetadata? { entry?.document.metadata }

    /// The cached metadata, or else the fetched one; an old document if the server has none now.
    func metadata(
        at now: Timestamp,
        by discovery: MetadataDiscovery
    ) async throws(OAuthClientError) -> AuthorizationServerMetadata {
        if let entry, Self.isWithin(entry.document.lifetime, entry.fetchedAt, now) { return entry.document.metadata }
        let stale = entry.flatMap { Self.isWithin(Self.maximumStaleness, $0.fetchedAt, now) ? $0 : nil }
        if let stale, let failedAt, Self.isWithin(Self.pause, failedAt, now) { return stale.document.metadata }
        do throws(OAuthClientError) {
            return try await fetch(at: now, by: discovery)
        } catch {
            guard let stale, error.code != .cancelled else { throw error }
            failedAt = now
            return stale.document.metadata
        }
    }

    /// Fetches the metadata, or waits for the fetch that is running.
    func fetch(
        at now: Timestamp,
        by discovery: MetadataDiscovery
    ) async throws(OAuthClientError) -> AuthorizationServerMetadata {
        let task: Task<MetadataDiscovery.Document, any Error>
        if let running {
            task = running
        } else {
            let known = entry?.document.address
            // A client that has an older document goes on with it.
            let isPatient = entry == nil
            task = Task {
                defer { running = nil }
                let document = try await discovery.fetch(startingAt: known, isPatient: isPatient)
                entry = Entry(document: document, fetchedAt: now)
                failedAt = nil
                return document
            }
            running = task
        }
        return try await Uncancelled.value(of: task).metadata
    }

    /// Notes that the server answered with Bearer tokens to a request with a proof.
    func noteBearer(at now: Timestamp) {
        bearerSince = now
    }

    /// Whether the server answered so within the last hour.
    func answersBearer(at now: Timestamp) -> Bool {
        bearerSince.map { Self.isWithin(.seconds(3600), $0, now) } ?? false
    }

    private static func isWithin(_ duration: Duration, _ time: Timestamp, _ now: Timestamp) -> Bool {
        now >= time && now - time < duration
    }
}
