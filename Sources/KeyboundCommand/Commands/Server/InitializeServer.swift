// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage

/// `keybound init`.
enum InitializeServer: Command {
    private static let standardFile = "/etc/keybound/keybound.json"
    private static let standardUser = "keybound"

    private static let file = Option.value(
        "--config",
        letter: "c",
        "FILE",
        "the configuration file to write",
        default: standardFile
    )
    private static let runAs = Option.value(
        "--run-as",
        "USER",
        "the user that runs the server and owns its files",
        default: "\(standardUser), for root if there is this user"
    )
    private static let noQuestions = Option.flag(
        "--no-questions",
        "ask nothing, and leave out whatever no option gives"
    )

    static let syntax = CommandSyntax(
        "init",
        "set up a server: configuration, credential, first user and first app",
        details: [
            "Asks for the issuer, the first user and the first app at the terminal, and again after a mistake; options answer "
                + "for scripts. It checks everything first, overwrites nothing, and can be repeated: existing files, users "
                + "and apps stay as they are. It ends with the configuration of nginx on standard output, and the next commands on standard error.",
            "Without other options the file has the settings of the package: data in /var/lib/keybound, the server on "
                + "127.0.0.1:8080, metrics on 127.0.0.1:9090, the scope openid. The credential that encrypts the signing "
                + "keys goes into systemd's store where root runs this on systemd, and otherwise into a file beside the "
                + "configuration that only the server may read; a copy of it must be kept apart from the backups.",
            "With the address of a PostgreSQL database, whose tables keybound db migrate has made, it sets up one of several "
                + "nodes. Start the first node, and copy its credential to the others before you run this there.",
        ],
        options: [file] + ServerSetup.offered.map(\.option) + FirstAccounts.options + [runAs, noQuestions],
        examples: [
            .init("After the installation of the package", "sudo keybound init"),
            .init(
                "By a script",
                "sudo keybound init --no-questions --issuer https://auth.example.com --user ada --password-file /run/ada \\\n"
                    + "  --client notes-cli > /etc/nginx/conf.d/keybound.conf"
            ),
            .init(
                "The first of several nodes on one database",
                "sudo keybound init --issuer https://auth.example.com --listen 10.0.0.11:8080 --trusted-proxy 10.0.0.2 \\\n"
                    + "  --database 'postgresql://keybound_server@db.example/keybound?sslrootcert=/etc/keybound/db-ca.pem'"
            ),
            .init(
                "In a directory, to try it out",
                "keybound init --config keybound.json --data-directory data --issuer http://127.0.0.1:8080 \\\n"
                    + "  --allow-insecure-loopback-issuer --user ada --client notes-cli"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let questions = SetupQuestions(isAllowed: !arguments.has(noQuestions))
        let setup = try await ServerSetup(
            arguments,
            path: arguments.value(file) ?? standardFile,
            owner: try owner(arguments)
        ) { check in
            let question = "Issuer, the https address that clients will use"
            let answer = try await questions.ask(question) { answer in
                try check(answer)
                return answer
            }
            guard let issuer = answer else {
                throw CommandFailure.usage(
                    "--issuer is missing",
                    hint: "the public address of the server, such as https://auth.example.com"
                )
            }
            return issuer
        }
        try await setup.check(console)
        let accounts = try await FirstAccounts(arguments, setup, questions)
        do {
            try await setup.make(console)
            try await accounts.add(to: setup.settings, console)
        } catch {
            let failure = CommandFailure(describing: error)
            throw CommandFailure(
                failure.exitCode,
                failure.message,
                hints: failure.hints + ["what was created is kept; run the same command again to continue"]
            )
        }
        try finish(setup, accounts, console)
    }

    /// Who gets the files: for root another user, if there is one for this.
    private static func owner(_ arguments: ParsedArguments) throws -> SystemUser? {
        guard let name = arguments.value(runAs) else {
            return SystemUser.isRoot ? SystemUser(named: standardUser) : nil
        }
        guard SystemUser.isRoot else {
            throw CommandFailure.usage("only root can give files to another user: --run-as")
        }
        guard let user = SystemUser(named: name) else {
            throw CommandFailure(
                .failure,
                "there is no user \(SafeText.of(name))",
                hint: "useradd -r -d /var/lib/keybound -s /usr/sbin/nologin \(SafeText.of(name))"
            )
        }
        return user
    }

    private static func finish(_ setup: ServerSetup, _ accounts: FirstAccounts, _ console: Console) throws {
        let issuer = try ServerConfiguration(unchecked: setup.settings).issuer
        if issuer.scheme == "https" {
            console.note("the site for nginx is on standard output; put the paths of your certificate into it")
            let address = setup.settings.text(.listen) ?? Setting.listen.standard
            console.print(String(NginxSite.text(issuer: issuer, listening: address).dropLast()))
        }
        console.note("next:")
        for command in try setup.nextCommands(clientID: accounts.clientID) { console.note("  " + command) }
    }
}
#endif
