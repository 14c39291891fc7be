// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import ServerStorage

/// What `keybound client apply` has to do; making it checks every client of the file and changes nothing.
struct ClientPlan: Sendable {
    /// The clients of the file in its order, then those that are removed.
    let steps: [ClientStep]

    /// The clients that are removed.
    var removed: [RegisteredClient] { steps.filter { $0.action == .removed }.map(\.client) }

    /// Compares the file with the database.
    ///
    /// - Parameters:
    ///   - entries: The clients of the file.
    ///   - settings: The settings of the server.
    ///   - administration: The administration of its database.
    ///   - isPruning: Whether clients of operators that are not in the file are removed.
    /// - Throws: What is wrong with the first client that the server would reject.
    init(
        for entries: [ClientFileEntry],
        _ settings: ServerSettings,
        _ administration: ServerAdministration,
        isPruning: Bool
    ) async throws {
        let registered = try await administration.clients()
        let known = Dictionary(registered.map { ($0.clientID, $0) }) { first, _ in first }
        var steps: [ClientStep] = []
        for entry in entries {
            do {
                steps.append(
                    try await Self.step(for: entry, known[entry.client.clientID], settings, administration)
                )
            } catch {
                throw CommandFailure(describing: error).about("client \(SafeText.of(entry.client.clientID))")
            }
        }
        if isPruning {
            let named = Set(entries.map(\.client.clientID))
            // What registered itself, or has a metadata document, was never in a file.
            let others = registered.filter { $0.origin == .registeredByOperator && !named.contains($0.clientID) }
            steps += others.map { ClientStep(removing: $0) }
        }
        self.steps = steps
    }

    private static func step(
        for entry: ClientFileEntry,
        _ existing: RegisteredClient?,
        _ settings: ServerSettings,
        _ administration: ServerAdministration
    ) async throws -> ClientStep {
        guard let existing else { return try await addition(of: entry.client, settings, administration) }
        guard existing.origin == .registeredByOperator else {
            throw CommandFailure.usage(
                "it is registered already, and not by an operator",
                hint: "leave it out of the file; keybound client set changes it"
            )
        }
        // A scope that the configuration lacks by now may stay, but no such scope is added.
        let newScope = entry.client.scope.tokens.filter { !existing.scope.contains($0) }
        try ClientMetadataOptions.refuseUnknown(newScope, settings)
        let change = try await administration.changeClient(existing.clientID, dryRun: true) { client in
            let isFit = (try? ClientFit.require(client, settings)) != nil
            entry.apply(to: &client)
            // As with client set: one that the server rejects already can be mended step by step.
            if isFit { try ClientFit.require(client, settings) }
        }
        return ClientStep(change, to: entry)
    }

    private static func addition(
        of client: RegisteredClient,
        _ settings: ServerSettings,
        _ administration: ServerAdministration
    ) async throws -> ClientStep {
        try ClientMetadataOptions.refuseUnknown(client.scope.tokens, settings)
        try ClientFit.require(client, settings)
        var client = client
        let secret = ClientCredentialOptions.needsSecret(client) ? administration.makeClientSecret() : nil
        client.secretHashes = secret.map { [SecretHash(of: $0.value)] } ?? []
        try await administration.checkNewClient(client)
        return ClientStep(adding: client, secret: secret)
    }
}
#endif
