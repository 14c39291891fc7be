// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON

/// `keybound request`.
enum SendRequest: Command {
    private static let header = Option.list("--header", letter: "H", "'NAME: VALUE'", "a header field of the request")
    private static let data = Option.value(
        "--data",
        letter: "d",
        "TEXT",
        "the body; @FILE reads it from a file, @- from standard input"
    )
    private static let include = Option.flag(
        "--include",
        letter: "i",
        "print the status and header fields of the "
            + "response too"
    )
    private static let output = Option.value(
        "--output",
        letter: "o",
        "FILE",
        "write the body of the response to a "
            + "file"
    )
    private static let fail = Option.flag("--fail", letter: "f", "exit with code 1 if the status is 400 or higher")

    static let syntax = CommandSyntax(
        "request",
        "call an API with the access token and a DPoP proof",
        details: [
            "Prints the body of the response. Nonces and the refresh of an expired access token are handled silently. "
                + "Redirects are not followed: the token and the proof are for this URL.",
            "Without --issuer, --client-id and --account, the account is used that signed in for the API or MCP server of "
                + "the URL (login --api, login --mcp), else the last one. If several did, the command uses the one that signed "
                + "in last, or fails and lists them if that one is not among them.",
            "The token is sent to its issuer and to the API or MCP server of the sign-in. For another origin the command asks once, "
                + "and remembers; without a terminal, \(OriginPermission.allowed.name) permits it.",
            "A body that is a JSON object or array is sent as application/json, any other as a form, unless -H "
                + "'Content-Type: ...' is given.",
        ],
        operands: [
            .required("METHOD", "the method, in capitals: GET, POST ..."),
            .required("URL", "the https URL"),
        ],
        options: [header, data, include, output, fail] + OriginPermission.options + AccountSelection.options
            + AccountKey.openingOptions,
        examples: [
            .init("Read", "keybound request GET https://api.example.com/notes"),
            .init(
                "Write",
                "keybound request POST https://api.example.com/notes -d '{\"text\": \"hello\"}' --fail"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let request = try request(arguments)
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, for: request.target, in: directory)
        // Before the key is opened, which may ask for a passphrase.
        try OriginPermission.require(request.target, record, in: directory, arguments)
        let stored = try await StoredSession(opening: record, in: directory, arguments)
        SessionInterruption.handle(stored.session)
        let answer = try await stored.use { try await $0.sendForAnyResponse(request) }
        try ResponseOutput(response: answer).write(to: arguments.value(output), withFields: arguments.has(include))
        if (300..<400).contains(answer.status) { console.note("the response is a redirect, which is not followed") }
        guard answer.status >= 400 else { return }
        if let note = StepUpNote(answer) {
            let granted = (try? await stored.session.tokenManager.fetch().scope.tokens) ?? []
            console.note(note.text(record, granted: granted))
        }
        if arguments.has(fail) { throw CommandFailure(.failure, "the API returned \(answer.status)") }
        if !arguments.has(include) { console.note("the API returned \(answer.status)") }
    }

    private static func request(_ arguments: ParsedArguments) throws -> HTTPRequest {
        let (method, address) = (try arguments.requiredOperand(0), try arguments.requiredOperand(1))
        guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D }) else {
            throw CommandFailure.usage(
                "the first operand is not a method",
                hint: "write GET, POST, PUT, PATCH or DELETE"
            )
        }
        guard let uri = try? URI(parsing: address), uri.host?.isEmpty == false else {
            throw CommandFailure.usage("the second operand is not a URL", hint: "such as https://api.example.com/notes")
        }
        var request = HTTPRequest(method: method, target: address)
        if let body = try body(arguments) {
            request.body = body
            request.fields["Content-Type"] = mediaType(of: body)
        }
        for field in arguments.values(header) {
            let (name, value) = try parse(field)
            request.fields[name] = value
        }
        return request
    }

    private static func parse(_ field: String) throws -> (name: String, value: String) {
        let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isPrintable = field.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(" "), isPrintable else {
            throw CommandFailure.usage("-H needs a field as 'NAME: VALUE'")
        }
        let name = String(parts[0])
        guard !["authorization", "dpop"].contains(name.lowercased()) else {
            throw CommandFailure.usage("\(name) cannot be given: this command sets the field itself")
        }
        let value = parts[1].drop(while: \.isWhitespace)
        return (name, String(value.dropLast(value.reversed().prefix(while: \.isWhitespace).count)))
    }

    private static func body(_ arguments: ParsedArguments) throws -> [UInt8]? {
        guard let text = arguments.value(data) else { return nil }
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        return try InputFile.read(String(text.dropFirst()), limit: 64 << 20)
    }

    private static func mediaType(of body: [UInt8]) -> String {
        let limits = JSONLimits(maximumSize: 64 << 20, maximumDepth: 512, maximumNumberLength: 1024)
        switch try? JSONValue(parsing: body, limits: limits) {
        case .object, .array: return "application/json"
        default: return "application/x-www-form-urlencoded"
        }
    }
}
#endif
