// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// `keybound demo`.
enum RunDemo: Command {
    private static let serve = Option.flag(
        "--serve",
        "start the servers only, and leave them running for you and "
            + "your browser"
    )
    private static let browser = Option.flag(
        "--browser",
        "sign in with your browser, instead of filling in the pages automatically"
    )
    private static let verbose = Option.flag("--verbose", letter: "v", "show every request and response")
    private static let port = Option.value(
        "--port",
        "PORT",
        "the port of the authorization server; the API gets the next one",
        default: "any free ports"
    )

    private static let key = Option.value(
        "--key",
        "PLACE",
        "where the app keeps its key, as for keybound login",
        default: "in memory"
    )

    static let syntax = CommandSyntax(
        "demo",
        "sign in, call an API, and watch attacks fail",
        details: [
            "Starts an authorization server and an API on this machine with a temporary database, signs a demo user in "
                + "through the real pages and once more without a browser, and tries attacks on the running servers."
        ],
        options: [serve, browser, verbose, port, key] + KeyPIN.options + [.json],
        examples: [
            .init("The whole story on one screen", "keybound demo"),
            .init("Every message of it", "keybound demo --verbose"),
            .init("The same servers, for you and your browser", "keybound demo --serve"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        var options = DemoOptions(serve: arguments.has(serve), browser: arguments.has(browser))
        options.json = arguments.has(.json)
        options.isVerbose = arguments.has(verbose)
        guard options.serve || !options.json else {
            throw CommandFailure.usage(
                "--json is for --serve: it prints the addresses of the servers and the "
                    + "password"
            )
        }
        if let text = arguments.value(port) {
            guard let number = UInt16(text), number < .max else {
                throw CommandFailure.usage(
                    "--port is not a port number",
                    hint: "a number from 0 to 65534; with 0, any that is free"
                )
            }
            options.port = number
        }
        options.key = try arguments.value(key).map(KeyChoice.init)
        options.pin = try KeyPIN.source(arguments)
        let demo = Demo(options: options, style: console.style) { console.print($0) }
        guard try await demo.run() else { throw CommandFailure(.failure, "the demo did not end as expected") }
    }
}
#endif
