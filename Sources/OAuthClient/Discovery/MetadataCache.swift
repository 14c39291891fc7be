// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

/// Caches the metadata of the server for an hour.
actor MetadataCache {
    private var entry: (metadata: AuthorizationServerMetadata, fetchedAt: Timestamp)?
    private static let lifetime = Duration.seconds(3600)

    func metadata(at now: Timestamp) -> AuthorizationServerMetadata? {
        entry.flatMap { now - $0.fetchedAt < Self.lifetime && now >= $0.fetchedAt ? $0.metadata : nil }
    }

    func keep(_ metadata: AuthorizationServerMetadata, fetchedAt now: Timestamp) {
        entry = (metadata, now)
    }
}
