// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
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
            "It has no token, so it cannot see what happens to good requests. With --echo it sees what reaches the API.",
        ],
        operands: [.required("URL", "a URL of the API that needs a token")],
        options: [echo, .insecureLoopback, Confirmation.yes, .json],
        examples: [.init("Check an API", "keybound gateway check https://api.example.com/notes --yes")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let url = try url(arguments)
        let echoPath = arguments.value(echo)
        guard echoPath?.hasPrefix("/") ?? true else { throw CommandFailure.usage("--echo is a path, such as /echo") }
        if !url.isLoopbackIPLiteral {
            try Confirmation.obtain("send hostile requests to \(SafeText.of(url.host ?? ""))?", arguments)
        }
        let findings = try await GatewayCheck(url, echoPath: echoPath, PlatformTransport()).findings()
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
        let weak = findings.count { $0.verdict == .weak }
        guard weak == 0 else { throw CommandFailure(.failure, "\(weak) of \(findings.count) attempts had an effect") }
        guard findings.count > 1 else { throw CommandFailure(.failure, "nothing could be tried") }
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
