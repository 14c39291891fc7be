// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON

/// `keybound gateway check`.
enum CheckGateway: Command {
    private static let echo = Option.value(
        "--echo",
        "PATH",
        "an open path of the API that returns the fields that it got"
    )

    static let syntax = CommandSyntax(
        "gateway check",
        "try to get past the gateway in front of a protected URL",
        details: [
            "Sends requests without a token that a misconfigured proxy would let through, or change: fields that only the "
                + "proxy may write, paths that programs read in different ways, addresses of the gateway itself. Each "
                + "attempt is ok, WEAK or ?, and the command fails if one is WEAK. Check your own servers only.",
            "With --echo it also checks what reaches the API.",
            "With --account it also sends requests with the access token of a signed-in account: good ones, and ones with one "
                + "thing wrong, such as a used proof or one for another path. A GET of the URL must succeed. The token "
                + "goes to the issuer and to the API of the sign-in only; for another origin the command asks once, and "
                + "remembers; without a terminal, \(OriginPermission.allowed.name) permits it.",
        ],
        operands: [.required("URL", "a URL of the API that needs a token")],
        options: [echo] + AccountSelection.options + OriginPermission.options + AccountKey.openingOptions
            + [.insecureLoopback, Confirmation.yes, .json],
        examples: [
            .init("Check an API", "keybound gateway check https://api.example.com/notes --yes"),
            .init(
                "Check what happens to requests with a token",
                "keybound gateway check https://api.example.com/notes --account default --yes"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let url = try url(arguments)
        let echoPath = arguments.value(echo)
        guard echoPath?.hasPrefix("/") ?? true else { throw CommandFailure.usage("--echo is a path, such as /echo") }
        if !url.isLoopbackIPLiteral {
            try Confirmation.obtain("send hostile requests to \(SafeText.of(url.host ?? ""))?", arguments)
        }
        var changing = CurlTransportConfiguration()
        changing.allowsProtocolChange = true
        let checked = CheckedURL(url: url, transport: PlatformTransport(), changing: CurlTransport(changing))
        let signed = try await signedCheck(checked, echoPath, arguments)
        var findings = try await GatewayCheck(checked, echoPath: echoPath).findings()
        let isProtected = findings.count > 1
        var isTried = isProtected
        if isProtected, var signed {
            let more = try await signed.findings()
            isTried = more.count > 1
            findings += more
        }
        report(findings, arguments, console)
        let weak = findings.count { $0.verdict == .weak }
        guard weak == 0 else { throw CommandFailure(.failure, "\(weak) of \(findings.count) attempts had an effect") }
        guard isProtected else { throw CommandFailure(.failure, "nothing could be tried") }
        guard isTried else { throw CommandFailure(.failure, "nothing could be tried with the token of the account") }
    }

    private static func report(_ findings: [GatewayFinding], _ arguments: ParsedArguments, _ console: Console) {
        if arguments.has(.json) {
            let entries = findings.map { finding -> JSONValue in
                [
                    "attempt": .string(finding.name), "verdict": .string(finding.verdict.rawValue),
                    "detail": .string(finding.detail),
                ]
            }
            console.printJSON(.array(entries))
        } else {
            for finding in findings { console.print(finding.line) }
        }
    }

    /// The check with the token of an account; `nil` if none was chosen.
    ///
    /// An account is never chosen by itself: who leaves `--account` out sends no token.
    private static func signedCheck(
        _ url: CheckedURL,
        _ echoPath: String?,
        _ arguments: ParsedArguments
    ) async throws -> SignedGatewayCheck? {
        guard AccountSelection.options.contains(where: arguments.has) else { return nil }
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        guard record.isBound else {
            throw CommandFailure.usage(
                "the token of this account is bound to no key",
                hint: "sign in to an API that takes DPoP tokens: keybound login --api \(SafeText.of(url.origin))"
            )
        }
        // Before the key is opened, which may ask for a passphrase.
        try OriginPermission.require(url.address, record, in: directory, arguments)
        let key = try await AccountKey(opening: record, in: directory, arguments).load()
        let stored = try await StoredSession(opening: record, in: directory, arguments)
        SessionInterruption.handle(stored.session)
        let tokens = try await stored.use { session in try await session.tokenManager.fetch() }
        return SignedGatewayCheck(
            url,
            echoPath: echoPath,
            token: tokens.accessToken.value,
            key: key,
            stranger: try SoftwareSigningKey(generating: .es256)
        )
    }

    private static func url(_ arguments: ParsedArguments) throws -> URI {
        let text = try arguments.requiredOperand(0)
        let url = try? URI(parsing: text)
        guard let url, url.scheme == "https" || url.isLoopbackIPLiteral && arguments.has(.insecureLoopback),
            url.path.hasPrefix("/"), url.query == nil, url.fragment == nil, url.userinfo == nil
        else {
            throw CommandFailure.usage(
                "\(SafeText.of(text)) is not an https URL with a path, without query",
                hint: "for a server on this machine: \(Option.insecureLoopback.name)"
            )
        }
        return url
    }
}
#endif
