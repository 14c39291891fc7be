// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import ServerStorage
import StrictJSON

/// What `keybound client apply` does to one client.
struct ClientStep: Sendable {
    enum Action: String, Sendable {
        case added
        case changed
        case unchanged
        case removed
    }

    /// A member that differs; `nil` is a member that is missing.
    struct Difference: Sendable {
        let member: String
        let before: JSONValue?
        let after: JSONValue?

        fileprivate var json: JSONValue {
            var object: JSONObject = ["member": .string(member)]
            object["before"] = before
            object["after"] = after
            return .object(object)
        }
    }

    let action: Action
    /// The client as it will be; one that is removed, as it is.
    let client: RegisteredClient
    private var entry: ClientFileEntry?
    /// The secret of a new client that has one.
    private var secret: ClientSecret?
    private var differences: [Difference] = []

    /// A client that is registered.
    init(adding client: RegisteredClient, secret: ClientSecret?) {
        action = .added
        self.client = client
        self.secret = secret
    }

    /// A client that stays.
    init(_ change: ClientChange, to entry: ClientFileEntry) {
        action = change.changed.isEmpty ? .unchanged : .changed
        client = change.after
        self.entry = entry
        let (before, after) = (change.before.json().objectValue, change.after.json().objectValue)
        differences = change.changed.map { Difference(member: $0, before: before?[$0], after: after?[$0]) }
    }

    /// A client that is removed.
    init(removing client: RegisteredClient) {
        action = .removed
        self.client = client
    }

    /// Does it.
    func perform(_ administration: ServerAdministration) async throws {
        switch action {
        case .added: try await administration.addClient(client)
        case .changed:
            guard let entry else { return }
            _ = try await administration.changeClient(client.clientID) { client in entry.apply(to: &client) }
        case .unchanged: break
        case .removed: try await administration.removeClient(client.clientID)
        }
    }

    /// What was done, or would be, for people.
    func lines(isDryRun: Bool) -> [String] {
        let name = SafeText.of(client.clientID)
        switch action {
        case .unchanged: return ["\(name): unchanged"]
        case .changed:
            return differences.map { difference in
                let texts = [difference.before, difference.after].map { value in
                    value.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-"
                }
                return "\(name): \(difference.member): \(SafeText.of(texts[0])) -> \(SafeText.of(texts[1]))"
            }
        case .added, .removed:
            guard !isDryRun else { return ["\(name): would be \(action.rawValue)"] }
            return ["\(name): \(action.rawValue)"] + (secret.map { ["\(name): client_secret \($0.value)"] } ?? [])
        }
    }

    /// The same, for scripts.
    func json(isDryRun: Bool) -> JSONValue {
        var object: JSONObject = ["client_id": .string(client.clientID), "action": .string(action.rawValue)]
        if !differences.isEmpty { object["changes"] = .array(differences.map(\.json)) }
        if !isDryRun { object["client_secret"] = secret.map { .string($0.value) } }
        return .object(object)
    }
}
#endif
