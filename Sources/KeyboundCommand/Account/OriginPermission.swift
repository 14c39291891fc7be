// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient

/// Whether `keybound request` and `keybound proxy` may send a token of an account to an origin: a mistyped URL must not
/// give it away.
///
/// The issuer and the API that the account signed in for may have it. For another origin the user is asked once, and the
/// answer is kept with the account.
enum OriginPermission {
    static let allowed = Option.list(
        "--allow-origin",
        "ORIGIN",
        "send the token to this origin, now and later, such as https://api.example.com"
    )

    static let options = [allowed]

    /// Checks the origin of a request, and asks if there is a terminal.
    ///
    /// - Parameters:
    ///   - target: The URL of the request.
    ///   - record: The account.
    ///   - directory: Where a new permission is kept.
    ///   - arguments: Those of the command.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage`` if the token may not be sent there.
    static func require(
        _ target: String,
        _ record: AccountRecord,
        in directory: AccountDirectory,
        _ arguments: ParsedArguments
    ) throws {
        let new = try new(for: target, record, given: arguments.values(allowed))
        guard !new.isEmpty else { return }
        try directory.update(record.account) { stored in
            stored.allowedOrigins = Set(stored.allowedOrigins).union(new).sorted()
        }
    }

    /// What the account allows from now on: the origins that were given, and that of the request if the user agreed.
    ///
    /// `ask` puts a question to the user; it returns `nil` without a terminal.
    static func new(
        for target: String,
        _ record: AccountRecord,
        given: [String],
        asking ask: (String) -> Bool? = Confirmation.answer
    ) throws -> [String] {
        let origin = try origin(of: target, "the URL")
        let resource = record.resource.flatMap { try? URI(parsing: $0).origin }
        // A token that is bound to no key works for any recipient.
        if !record.isBound, let own = record.resource, resource != origin {
            throw CommandFailure.usage(
                "the token of this account is for \(SafeText.of(own)) alone, and is not sent elsewhere"
            )
        }
        let issuer = try? URI(parsing: record.account.issuer).origin
        var permitted = try given.map { try self.origin(of: $0, allowed.name) }
        if origin != resource, origin != issuer, !record.allowedOrigins.contains(origin), !permitted.contains(origin) {
            try require(origin, record, asking: ask)
            permitted.append(origin)
        }
        return Set(permitted).subtracting(record.allowedOrigins).sorted()
    }

    private static func require(_ origin: String, _ record: AccountRecord, asking ask: (String) -> Bool?) throws {
        let issuer = SafeText.of(record.account.issuer)
        switch ask("send the token from \(issuer) to \(origin)?") {
        case true?: return
        case false?: throw CommandFailure(.failure, "nothing was sent")
        case nil:
            throw CommandFailure.usage(
                "the token from \(issuer) was never sent to \(origin), and there is no terminal to ask",
                hint: "if it is an API of that server, add \(allowed.name) \(origin)"
            )
        }
    }

    private static func origin(of url: String, _ what: String) throws -> String {
        guard let origin = (try? URI(parsing: url))?.origin else {
            throw CommandFailure.usage("\(what) has no origin", hint: "such as https://api.example.com")
        }
        return origin
    }
}
