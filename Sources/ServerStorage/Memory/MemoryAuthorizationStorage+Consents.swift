// SPDX-License-Identifier: Apache-2.0

import OAuthCore
public import OAuthSystem
import Synchronization

extension MemoryAuthorizationStorage {
    /// The consent of a user to a client; see ``ConsentStore/consent(of:to:details:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - detailsHash: The hash of what was requested in addition to the scope.
    /// - Returns: The consent; `nil` if there is none.
    public func consent(
        of subject: String,
        to clientID: String,
        details detailsHash: SecretHash
    ) -> StoredConsent? {
        let key = MemoryTables.ConsentKey(subject: subject, clientID: clientID, detailsHash: detailsHash)
        return tables.withLock { $0.consents[key] }
    }

    /// Lists the consents of a user; see ``ConsentStore/consents(of:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: All consents, in the order of the clients' identifiers.
    public func consents(of subject: String) -> [StoredConsent] {
        tables.withLock { Array($0.consents.values) }
            .filter { $0.subject.isIdentical(to: subject) }
            .sorted { left, right in
                let (first, second) = (left.clientID.utf8, right.clientID.utf8)
                if first.elementsEqual(second) {
                    return left.detailsHash.bytes.lexicographicallyPrecedes(right.detailsHash.bytes)
                }
                return first.lexicographicallyPrecedes(second)
            }
    }

    /// Deletes every consent of a user to a client and revokes every grant between the two.
    ///
    /// See ``ConsentStore/withdrawConsent(of:to:at:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - clientID: `client_id`.
    ///   - now: The time.
    /// - Returns: Whether there was a consent, or a grant in force.
    public func withdrawConsent(of subject: String, to clientID: String, at now: Timestamp) -> Bool {
        tables.withLock { tables in
            let (user, client) = (MemoryTables.Key(subject), MemoryTables.Key(clientID))
            let consents = tables.consents.keys.filter { $0.subject == user && $0.client == client }
            let grants = tables.grants.filter { entry in
                !entry.value.isRevoked && entry.value.record.subject.isIdentical(to: subject)
                    && entry.value.record.clientID.isIdentical(to: clientID)
            }
            for key in consents { tables.consents[key] = nil }
            for key in grants.keys { tables.grants[key]?.isRevoked = true }
            return !consents.isEmpty || !grants.isEmpty
        }
    }
}

extension MemoryTables {
    /// The primary key of a consent.
    struct ConsentKey: Hashable {
        let subject: Key
        let client: Key
        let details: [UInt8]

        init(subject: String, clientID: String, detailsHash: SecretHash) {
            self.subject = Key(subject)
            client = Key(clientID)
            details = detailsHash.bytes
        }

        init(_ consent: StoredConsent) {
            self.init(subject: consent.subject, clientID: consent.clientID, detailsHash: consent.detailsHash)
        }
    }

    /// Whether the consent that a code is based on is still stored.
    func holds(_ decision: ConsentDecision) -> Bool {
        guard case .remembered(let consent) = decision else { return true }
        return consents[ConsentKey(consent)].map { consent.scope.isSubset(of: $0.scope) } ?? false
    }

    /// Stores a consent that must be remembered.
    mutating func remember(_ decision: ConsentDecision) {
        guard case .givenToRemember(var consent) = decision else { return }
        let key = ConsentKey(consent)
        if let former = consents[key] { consent.extend(former) }
        consents[key] = consent
    }
}
