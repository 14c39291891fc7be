// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// `request_uri` of a stored request (RFC 9126 section 2.2).
struct RequestURI: Sendable {
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    /// The random part.
    ///
    /// Page forms carry only this part.
    let reference: String
    /// The hash that the request is stored under.
    let hash: SecretHash

    var text: String { Self.prefix + reference }

    /// Makes a new one.
    init(at now: Timestamp, _ entropy: any Entropy) {
        self.init(reference: DatedHandle.make(at: now, entropy))
    }

    init(reference: String) {
        (self.reference, hash) = (reference, SecretHash(of: reference))
    }

    /// `nil` if the text is not a `request_uri` of this server.
    init?(parsing text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self.init(reference: String(text.dropFirst(Self.prefix.count)))
    }
}
