// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// Chooses the account of a command: by its options, or else the account that was signed in last.
enum AccountSelection {
    private static let issuer = Option.value("--issuer", "URL", "the account at this server")
    private static let clientID = Option.value("--client-id", "CLIENT_ID", "the account of this client")
    private static let name = Option.value("--account", "NAME", "the account with this name")

    static let options = [issuer, clientID, name]

    static func record(
        _ arguments: ParsedArguments,
        for target: String? = nil,
        in directory: AccountDirectory
    ) throws -> AccountRecord {
        let hasChoice = options.contains(where: arguments.has)
        if !hasChoice, let target, let record = try named(target, in: directory) { return record }
        if !hasChoice, let current = try directory.current() { return current }
        let stored = try directory.storedRecords()
        let matching = stored.records.filter { record in
            matches(arguments.value(issuer), record.account.issuer)
                && matches(arguments.value(clientID), record.account.clientID)
                && matches(arguments.value(name), record.account.name)
        }
        guard let record = matching.first else {
            // The account may be one that cannot be read: a new sign-in does not help then.
            if let failure = stored.failures.first { throw failure }
            throw CommandFailure(
                .signInNeeded,
                options.contains(where: arguments.has) ? "no such account is signed in" : "no account is signed in",
                hint: CommandFailure.signIn
            )
        }
        AccountDirectory.warn(of: stored.failures)
        guard matching.count == 1 else {
            throw several(matching, "several accounts are signed in")
        }
        return record
    }

    /// The account whose API or MCP server a URL belongs to; of several the one with the longest address.
    ///
    /// A Bearer token for one server must not go to another one.
    static func named(_ target: String, in directory: AccountDirectory) throws -> AccountRecord? {
        let matching = try directory.records().filter { record in
            record.resource.map { ResourceMatching.coveringPath.accepts($0, for: target) } ?? false
        }
        let longest = matching.map(length).max()
        return try one(
            of: matching.filter { length($0) == longest },
            "several accounts are signed in for this API or MCP server",
            in: directory
        )
    }

    /// Of several accounts that are as good the one that was signed in last; never just any, as they may be of other users.
    static func one(
        of accounts: [AccountRecord],
        _ problem: String,
        in directory: AccountDirectory
    ) throws -> AccountRecord? {
        guard accounts.count > 1 else { return accounts.first }
        // A damaged record of the last one must not hide that there is a choice.
        let current = try? directory.current()
        if let last = accounts.first(where: { $0.account == current?.account }) { return last }
        throw several(accounts, problem)
    }

    private static func several(_ accounts: [AccountRecord], _ problem: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(problem); choose one with --issuer, --client-id or --account",
            hints: accounts.map { "\($0.account.issuer) \($0.account.clientID) \($0.account.name)" }
        )
    }

    /// How long the address is that an account signed in for; a slash at its end makes no difference.
    private static func length(_ record: AccountRecord) -> Int {
        let address = record.resource ?? ""
        return address.utf8.count - (address.hasSuffix("/") ? 1 : 0)
    }

    private static func matches(_ wanted: String?, _ value: String) -> Bool {
        wanted == nil || wanted == value
    }
}
