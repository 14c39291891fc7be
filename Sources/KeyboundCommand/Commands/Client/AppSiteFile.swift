// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// `keybound aasa`.
enum AppSiteFile: Command {
    private static let app = Option.list("--app", "APP-ID", "an app that receives the callback: TEAMID.bundle.id")
    private static let callback = Option.value("--callback", "URL", "print the file for this https callback")
    private static let check = Option.value(
        "--check",
        "URL-OR-HOST",
        "fetch the file of this host, or of the host of this https callback, and report problems"
    )

    static let syntax = CommandSyntax(
        "aasa",
        "print or check the apple-app-site-association file for an https callback",
        details: [
            "An https callback reaches an iOS or macOS app only if /.well-known/apple-app-site-association on its "
                + "host names the app: under webcredentials for ASWebAuthenticationSession (iOS 17.4, macOS 14.4), "
                + "under applinks for links opened elsewhere. Serve the file as application/json.",
            "--check fetches the file from the host itself. Apple's devices get it from Apple's CDN, which may still "
                + "have an older version. A callback is checked with the query of a code and with that of an error; "
                + "for a host, only the apps are checked.",
        ],
        options: [app, callback, check, .insecureLoopback, .json],
        examples: [
            .init(
                "Write the file",
                "keybound aasa --app ABCDE12345.com.example.app \\\n"
                    + "  --callback https://app.example.com/callback >apple-app-site-association"
            ),
            .init(
                "Does the callback reach the app?",
                "keybound aasa --app ABCDE12345.com.example.app \\\n"
                    + "  --check https://app.example.com/callback"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try arguments.requireAtMostOne(of: [callback, check])
        let apps = try arguments.values(app).map { try AppID($0) }
        guard !apps.isEmpty else {
            throw CommandFailure.usage("--app is missing", hint: "name each app: --app TEAMID.bundle.id")
        }
        guard let place = arguments.value(check) else {
            let url = try arguments.required(callback)
            console.printJSON(.object(try AppSiteAssociation(apps: apps, callback: url).json))
            return
        }
        try await report(problems(apps, at: place, arguments), arguments, console)
    }

    private static func problems(
        _ apps: [AppID],
        at place: String,
        _ arguments: ParsedArguments
    ) async throws -> [AppSiteProblem] {
        let check = AppSiteCheck(allowsInsecureHTTPOnLoopback: arguments.has(.insecureLoopback))
        guard place.contains(text: "://") else { return try await check.problems(for: apps, host: place) }
        return try await check.problems(for: apps, callback: place)
    }

    private static func report(
        _ problems: [AppSiteProblem],
        _ arguments: ParsedArguments,
        _ console: Console
    ) throws {
        if arguments.has(.json) {
            let list = problems.map { problem -> JSONValue in
                ["code": .string(problem.code.rawValue), "reason": .string(problem.reason)]
            }
            console.printJSON(["ok": .bool(problems.isEmpty), "problems": .array(list)])
        } else {
            for problem in problems { console.print(SafeText.of(problem.description)) }
            if problems.isEmpty { console.print("the file is correct") }
        }
        guard problems.isEmpty else {
            let count = problems.count == 1 ? "a problem" : "\(problems.count) problems"
            throw CommandFailure(.failure, "the file of the website has \(count)")
        }
    }
}
