// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Keeps the clients with a metadata document up to date in the storage, where everything else finds them.
///
/// The policy decides whose documents are read (draft-ietf-oauth-client-id-metadata-document-02 section 8.9).
struct ClientDocuments: Sendable {
    let services: Services

    private var rules: UnregisteredClients { services.configuration.unregisteredClients }

    /// Makes sure, before a request is read, that the storage has what the document of its client says now.
    ///
    /// An authorization request needs a document that is not too old: users must see who asks now. A token request makes
    /// no client known; if the document cannot be fetched again then, what was read last still counts, so that an outage
    /// of the client's web server ends no session. A document that is gone (404, 410) is withdrawn, and with it the client.
    ///
    /// - Parameters:
    ///   - clientID: `client_id` of the request; most are no URL, and cost nothing here.
    ///   - startsSignIn: Whether it is an authorization request.
    ///   - now: The time.
    /// - Returns: The client whose `client_id` is a URL; `nil` for every other one, and if there is none.
    /// - Throws: A failure that says which rule the document breaks, or that it cannot be fetched.
    func prepare(
        _ clientID: String,
        startsSignIn: Bool,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> RegisteredClient? {
        guard ClientDocumentURL.isPossible(clientID) else { return nil }
        let stored = try await services.stored { try await $0.client(clientID) }
        // An operator may register a URL by hand (section 7.2 of the draft).
        guard stored.map({ $0.origin == .document }) ?? rules.documents.isOn else { return stored }
        let url = try ClientDocumentURL(clientID, rules)
        // Also for a client that was let in by an earlier policy.
        guard rules.documents.permits(host: url.host) else {
            throw .clientDocument("this server reads no documents of that host")
        }
        if let end = stored?.documentExpiresAt, Self.isAhead(end, at: now) { return stored }
        guard stored != nil || startsSignIn else { return nil }
        var isWithdrawn = false
        do throws(ProtocolFailure) {
            let response = try await fetch(url, at: now)
            isWithdrawn = response.status == 404 || response.status == 410
            let document = try ClientDocument(response, from: url)
            let client = try document.client(services.configuration, at: now)
            try await store(client, insteadOf: stored)
            return client
        } catch {
            // Whoever still has a key of a client that its owner withdrew must get nothing for it.
            if startsSignIn || isWithdrawn { throw error }
            return stored
        }
    }

    /// Whether a document that holds until then need not be fetched again.
    ///
    /// Not if that is longer than any document holds: the clock was ahead when it was fetched. The clock of another server
    /// may be ahead by a minute.
    private static func isAhead(_ end: Timestamp, at now: Timestamp) -> Bool {
        now < end && end <= now + DocumentFields.longestLifetime + .seconds(60)
    }

    private func fetch(_ url: ClientDocumentURL, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        guard let outgoing = services.outgoing else {
            throw .clientDocument("this server sends no requests of its own")
        }
        do throws(OutgoingFailure) {
            return try await outgoing.get(
                url.uri,
                maximumSize: ClientDocument.maximumSize,
                for: services.limitedAddress,
                at: now
            )
        } catch {
            services.report("the metadata document of a client at \(url.host) was not fetched: \(error.reason)")
            switch error.kind {
            case .forbidden: throw .clientDocument("this server does not send requests to its URL")
            case .unreachable, .failed: throw .clientDocument("it cannot be fetched")
            case .busy(let wait): throw .tooManyRequests("for metadata documents", retryAfter: wait)
            }
        }
    }

    private func store(_ client: RegisteredClient, insteadOf stored: RegisteredClient?) async throws(ProtocolFailure) {
        guard let stored else {
            var client = client
            client.registrationID = services.tokens.random()
            // RFC 9068 section 5: an API must not mistake a client for a user. If another request was faster, its client
            // is as good.
            let isAdded = try await services.stored { [client] in
                guard try await $0.user(subject: client.clientID) == nil else { return false }
                return try await $0.add(client)
            }
            if isAdded { services.record(.clientRegistered, clientID: client.clientID) }
            return
        }
        var client = client
        client.expiresAt = stored.expiresAt
        client.changedBy = stored.changedBy
        let attempt = services.newAttempt()
        let isSame = client.describesTheSame(as: stored)
        // If another request was faster, what it read is as new.
        let isReplaced = try await services.stored { [client] in try await $0.replace(client, by: attempt) }
        if isReplaced, !isSame { services.record(.clientChanged, clientID: client.clientID, detail: "document") }
    }
}

extension RegisteredClient {
    /// Whether only times differ.
    fileprivate func describesTheSame(as other: RegisteredClient) -> Bool {
        var copy = self
        copy.createdAt = other.createdAt
        copy.registrationID = other.registrationID
        copy.documentExpiresAt = other.documentExpiresAt
        copy.changedBy = other.changedBy
        copy.ownGrantRevocations = other.ownGrantRevocations
        return copy == other
    }
}

extension Services {
    /// Prolongs the life of a client that no operator registered, because it got a token.
    ///
    /// A tenth of its life passes between two changes. If one fails, the next token brings another.
    func noteUse(of client: RegisteredClient, at now: Timestamp) async {
        guard let end = client.expiresAt else { return }
        let lifetime = configuration.unregisteredClients.lifetime
        guard end < now + lifetime * 9 / 10 else { return }
        var client = client
        client.expiresAt = now + lifetime
        let attempt = newAttempt()
        _ = try? await stored { [client] in try await $0.replace(client, by: attempt) }
    }
}
