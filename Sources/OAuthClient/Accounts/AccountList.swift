// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// The accounts of an app on this device, and which of them is in use.
public struct AccountList: Sendable, Hashable {
    /// The version of the format; a program rejects a higher one, and never deletes it.
    private static let version: Int64 = 1
    private static let members: Set<String> = ["v", "issuer", "client_id", "current", "accounts", "ended"]

    /// The accounts, in the order of their first sign-ins.
    public internal(set) var accounts: [AccountSummary] = []
    /// The account in use; `nil` if none is.
    public internal(set) var currentID: AccountSummary.ID?
    /// Whose accounts these are; `nil` before the first one.
    var owner: Owner?
    /// The sign-outs that are not known to be finished, one for each account at most.
    var ended: [EndedAccount] = []
    private var otherMembers = JSONObject()

    /// A server, and the app as that server knows it.
    struct Owner: Sendable, Hashable {
        let issuer: String
        let clientID: String
    }

    /// Makes an empty list.
    public init() {}

    /// The account in use.
    public var current: AccountSummary? { self[currentID] }

    subscript(id: AccountSummary.ID?) -> AccountSummary? {
        get { accounts.first { $0.id == id } }
        set {
            guard let id else { return }
            let index = accounts.firstIndex { $0.id == id }
            switch (index, newValue) {
            case (let index?, let account?): accounts[index] = account
            case (let index?, nil): accounts.remove(at: index)
            case (nil, let account?): accounts.append(account)
            case (nil, nil): break
            }
            if newValue == nil, currentID == id { currentID = nil }
        }
    }

    /// Keeps a sign-out until it is finished.
    mutating func note(_ account: EndedAccount) {
        var noted = account
        noted.session = account.session ?? ended.first { $0.id == account.id }?.session
        ended.removeAll { $0.id == account.id }
        ended.append(noted)
    }
}

extension AccountList {
    /// The list as JSON, for a store: it names users, and holds no token.
    public var json: JSONObject {
        var object = otherMembers
        object["v"] = .number(JSONNumber(Self.version))
        object["issuer"] = owner.map { .string($0.issuer) }
        object["client_id"] = owner.map { .string($0.clientID) }
        object["current"] = currentID.map { .string($0) }
        object["accounts"] = .array(accounts.map { .object($0.json) })
        object["ended"] = ended.isEmpty ? nil : .array(ended.map { .object($0.json) })
        return object
    }

    /// Reads a list.
    ///
    /// - Parameter object: What ``json`` gave.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for a list that is damaged, or that a newer version wrote.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let version = object["v"]?.integerValue, version >= 1, let array = object["accounts"]?.arrayValue else {
            throw Self.damaged
        }
        guard version <= Self.version else {
            throw OAuthClientError(.storageFailed, "the list of accounts was written by a newer version")
        }
        if let issuer = object["issuer"]?.stringValue, let clientID = object["client_id"]?.stringValue {
            owner = Owner(issuer: issuer, clientID: clientID)
        }
        for element in array {
            guard let account = element.objectValue.flatMap({ AccountSummary($0, of: owner?.issuer) }),
                self[account.id] == nil
            else { throw Self.damaged }
            accounts.append(account)
        }
        if let value = object["ended"] { ended = try Self.ended(value) }
        currentID = object["current"]?.stringValue.flatMap { self[$0]?.id }
        for member in object.members where !Self.members.contains(member.name) {
            otherMembers[member.name] = member.value
        }
    }

    private static func ended(_ value: JSONValue) throws(OAuthClientError) -> [EndedAccount] {
        guard let elements = value.arrayValue else { throw damaged }
        var accounts: [EndedAccount] = []
        for element in elements {
            guard let account = element.objectValue.flatMap({ EndedAccount($0) }) else { throw damaged }
            accounts.append(account)
        }
        return accounts
    }

    private static var damaged: OAuthClientError {
        OAuthClientError(.storageFailed, "the list of accounts is damaged")
    }
}
