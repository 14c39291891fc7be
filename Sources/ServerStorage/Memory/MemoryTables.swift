// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import PKCE

/// The tables of ``MemoryAuthorizationStorage``.
struct MemoryTables {
    /// A key that compares byte by byte: as a `String`, `K` and U+212A would be equal.
    struct Key: Hashable {
        private let bytes: [UInt8]

        init(_ text: String) {
            bytes = Array(text.utf8)
        }
    }

    struct Challenge: Hashable {
        let client: Key
        let value: String
    }

    struct Code {
        let record: StoredCode
        /// The exchange that used it.
        var usedBy: WriteAttempt?
    }

    struct Request {
        var record: StoredAuthorizationRequest
        /// The change that used it; a used request is kept until it expires.
        var usedBy: WriteAttempt?
    }

    struct GrantEntry {
        let record: Grant
        var isRevoked = false
        /// The refresh tokens; `nil` if none was issued.
        var refresh: RefreshTokenState?
        /// When the entry can be deleted.
        var expiresAt: Timestamp
    }

    var clients: [Key: RegisteredClient] = [:]
    /// The clients by ``RegisteredClient/registrationID``.
    var registrations: [Key: Key] = [:]
    var users: [Key: UserAccount] = [:]
    var usernames: [Key: Key] = [:]
    var sessions: [SecretHash: BrowserSession] = [:]
    var firstPartySessions: [Key: FirstPartyEntry] = [:]
    var consents: [ConsentKey: StoredConsent] = [:]
    var requests: [SecretHash: Request] = [:]
    var grants: [Key: GrantEntry] = [:]
    var codes: [SecretHash: Code] = [:]
    var challenges: Set<Challenge> = []
    var devices: [SecretHash: Device] = [:]
    var userCodes: [SecretHash: SecretHash] = [:]
    var accessTokens: [SecretHash: StoredAccessToken] = [:]
    var attempts: [AttemptKey: AttemptState] = [:]
    /// The newest first, with the time when it was stored.
    var nonceSecrets: [(secret: DPoPNonceSecret, since: Timestamp)] = []
    var shardSecret: [UInt8]?
    var singleUses: SingleUseTable
    var signingKeys: [Key: StoredSigningKey] = [:]
    var registrationTokens: [SecretHash: StoredRegistrationToken] = [:]

    init(capacity: Int, capacityPerOwner: Int) {
        singleUses = SingleUseTable(capacity: capacity, capacityPerOwner: capacityPerOwner)
    }
}

extension StoredCode {
    /// The challenge, which its client must not reuse.
    var challenge: MemoryTables.Challenge {
        MemoryTables.Challenge(client: MemoryTables.Key(clientID), value: codeChallenge.value)
    }
}
