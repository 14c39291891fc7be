// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import StrictJSON

/// `keybound proof verify`.
enum VerifyProof: Command {
    private static let accessTokenFile = Option.value(
        "--access-token-file",
        "FILE",
        "the access token of the request; for a JWT, cnf.jkt is compared too"
    )
    private static let thumbprint = Option.value("--jkt", "THUMBPRINT", "the key that the token is bound to")
    private static let unbound = Option.flag("--unbound", "accept an access token that is bound to no key")
    private static let nonce = Option.value("--nonce", "NONCE", "the nonce that the server issued")
    private static let at = Option.value("--at", "TIME", "check the times against this time", default: "now")
    private static let maximumAge = Option.value("--max-age", "DURATION", "the maximum age of iat", default: "5m")

    static let syntax = CommandSyntax(
        "proof verify",
        "verify a DPoP proof, step by step (RFC 9449 section 4.3)",
        details: [
            "Prints every step of the server's verification in order: passed, failed, not reached, or not checked if "
                + "an option that it needs is missing. Only a server that records proofs can detect a replay.",
            "All asymmetric signature algorithms are accepted here; a server may allow fewer, and lists them in its "
                + "metadata.",
            "The input has one line for each DPoP header field of the request, with or without 'DPoP:' in front.",
        ],
        operands: [.optional("FILE", "the file with the proof (default: standard input)")],
        options: [
            ProvedRequest.method, ProvedRequest.url, accessTokenFile, thumbprint, unbound, nonce, at, maximumAge, .json,
        ],
        examples: [
            .init(
                "Would a server accept this proof now?",
                "keybound proof verify --method POST --url https://auth.example.com/token proof.txt"
            ),
            .init(
                "Verify the proof of an API call, as of the time of the call",
                "keybound proof verify --url https://api.example.com/me \\\n"
                    + "  --access-token-file token.txt --at 2026-01-31T12:00:00Z proof.txt"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) throws {
        let expectation = try expectation(arguments)
        let now = try arguments.time(at)
        let policy = ProofPolicy(
            algorithms: SignatureAlgorithm.all,
            nonces: .off,
            maximumAge: try arguments.duration(maximumAge) ?? .seconds(300)
        )
        let fields = try fieldValues(InputFile.text(arguments.operand(0) ?? "-"))
        let report = ProofReport(
            fields,
            against: expectation,
            nonce: arguments.value(nonce),
            policy: policy,
            at: now
        )
        if arguments.has(.json) {
            console.printJSON(report.json)
        } else {
            report.describe(on: console)
        }
        if let failure = report.failure {
            throw CommandFailure(.failure, "the proof is not valid: \(failure.reason)", hints: hints(failure, now))
        }
    }

    private static func expectation(_ arguments: ParsedArguments) throws -> ExpectedRequest {
        let targetURI = try ProvedRequest.targetURI(arguments)
        let accessToken = try arguments.value(accessTokenFile).map { try InputFile.line($0) }
        return ExpectedRequest(
            method: ProvedRequest.method(arguments),
            targetURI: targetURI,
            accessToken: accessToken,
            thumbprint: try boundKey(arguments, accessToken)
        )
    }

    private static func boundKey(_ arguments: ParsedArguments, _ accessToken: String?) throws -> JWKThumbprint? {
        if let text = arguments.value(thumbprint) {
            guard let thumbprint = try? JWKThumbprint(text) else {
                throw CommandFailure.usage("--jkt is not a thumbprint: 43 characters of base64url (RFC 7638)")
            }
            return thumbprint
        }
        guard let accessToken, !arguments.has(unbound) else { return nil }
        guard let claims = try? CompactJWS(parsing: accessToken).payloadObject() else {
            throw CommandFailure.usage(
                "the access token cannot be looked into",
                hint: "--jkt names the key that it is bound to, --unbound accepts one that is bound to none"
            )
        }
        guard let text = claims["cnf"]?.objectValue?["jkt"]?.stringValue, let thumbprint = try? JWKThumbprint(text)
        else {
            throw CommandFailure(
                .failure,
                "the access token is bound to no key (no cnf.jkt): RFC 9449 section 4.3, check 12",
                hints: ["--unbound accepts such a token, as a server that gives out bearer tokens does"]
            )
        }
        return thumbprint
    }

    private static func fieldValues(_ text: String) -> [String] {
        text.utf8.split(separator: 0x0A).compactMap { line in
            var value = String(Substring(line)).droppingLineBreak.trimmingSpaces
            if value.lowercased().hasPrefix("dpop:") { value = String(value.dropFirst(5)).trimmingSpaces }
            return value.isEmpty ? nil : value
        }
    }

    private static func hints(_ failure: ProofReport.Failure, _ now: Timestamp) -> [String] {
        guard failure.step == .freshness else { return [] }
        return ["--at TIME checks against another time than \(TimeText.text(of: now)), --max-age allows older proofs"]
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let bytes = utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
