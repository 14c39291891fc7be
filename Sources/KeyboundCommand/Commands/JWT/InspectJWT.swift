// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

/// `keybound jwt inspect`.
enum InspectJWT: Command {
    private static let jwks = Option.value(
        "--jwks",
        "FILE-OR-URL",
        "verify the signature with the keys of this JWK set, a file or an https URL"
    )
    private static let at = Option.value("--at", "TIME", "check the times against this time", default: "now")

    static let syntax = CommandSyntax(
        "jwt inspect",
        "show the content of a JWT: header, payload, and its times in words",
        details: [
            "Without --jwks nothing is verified: anyone could have written the token. With --jwks the signature must "
                + "verify with a key of the set and the algorithm that the token names, which must fit the key, and "
                + "the token must not have expired."
        ],
        operands: [.optional("FILE", "the file with the JWT (default: standard input)")],
        options: [jwks, at, .insecureLoopback, .json],
        examples: [
            .init("Look into an access token", "keybound token show --reveal | keybound jwt inspect"),
            .init(
                "Verify it too",
                "keybound jwt inspect --jwks https://auth.example.com/jwks token.txt"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let jws = try parse(InputFile.line(arguments.operand(0) ?? "-"))
        let now = try arguments.time(at)
        let verdict = try await verify(jws, arguments, at: now)
        if arguments.has(.json) {
            console.printJSON(json(of: jws, verdict))
        } else {
            describe(jws, console, at: now)
        }
        switch verdict {
        case .notVerified:
            console.warn("nothing was verified: anyone could have written this")
            console.note("--jwks FILE-OR-URL verifies the signature")
        case .valid(let key):
            console.note("the signature verifies with the key \(key.keyID ?? key.thumbprint.description)")
        case .refused(let reason):
            throw CommandFailure(.failure, "the token is not valid: \(reason)")
        }
    }

    private static func parse(_ text: String) throws -> CompactJWS {
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count
        guard segments != 5 else {
            throw CommandFailure(
                .failure,
                "this is an encrypted token (JWE)",
                hint: "only its recipient can look inside"
            )
        }
        guard segments == 3 else {
            throw CommandFailure(
                .failure,
                "this is not a JWT: it does not have three parts separated by dots",
                hint: "opaque tokens, such as refresh tokens, can be read only by their server"
            )
        }
        return try CompactJWS(parsing: text, maximumLength: 65_536)
    }

    private enum Verdict {
        case notVerified
        case valid(JWK)
        case refused(String)
    }

    private static func verify(
        _ jws: CompactJWS,
        _ arguments: ParsedArguments,
        at now: Timestamp
    ) async throws -> Verdict {
        guard let source = arguments.value(jwks) else { return .notVerified }
        let keys = try await KeySetSource(arguments).keySet(source)
        let keyID = jws.header["kid"]?.stringValue
        let candidates = keys.keys.filter { keyID == nil || $0.keyID == keyID }
        guard !candidates.isEmpty else { return .refused("no key of the set has the 'kid' of the token") }
        guard let key = candidates.first(where: { isValid(jws, $0) }) else {
            return .refused("the signature does not verify")
        }
        let claims = try? JWTClaims(jws.payloadObject())
        if let expiresAt = claims?.expiresAt, expiresAt <= now { return .refused("it has expired") }
        if let notBefore = claims?.notBefore, notBefore > now { return .refused("it is not valid yet") }
        return .valid(key)
    }

    private static func isValid(_ jws: CompactJWS, _ key: JWK) -> Bool {
        do {
            try jws.verify(with: key, allowing: SignatureAlgorithm.all)
            return true
        } catch {
            return false
        }
    }

    private static func json(of jws: CompactJWS, _ verdict: Verdict) -> JSONValue {
        var result: JSONObject = ["header": .object(jws.header), "verified": false]
        if let payload = try? JSONValue(parsing: jws.payload) {
            result["payload"] = payload
        } else {
            result["payload_base64url"] = .string(Base64URL.encode(jws.payload))
        }
        switch verdict {
        case .notVerified: break
        case .valid: result["verified"] = true
        case .refused(let reason): result["reason"] = .string(reason)
        }
        return .object(result)
    }

    private static func describe(_ jws: CompactJWS, _ console: Console, at now: Timestamp) {
        console.print(console.style.bold("header"))
        console.print(IndentedJSON.text(of: .object(jws.header)))
        console.print(console.style.bold("payload"))
        guard let payload = try? JSONValue(parsing: jws.payload) else {
            console.print("\(jws.payload.count) bytes that are not JSON")
            return
        }
        console.print(IndentedJSON.text(of: payload))
        let rows = JWTFacts.rows(header: jws.header, payload: payload.objectValue ?? [:], at: now)
        guard !rows.isEmpty else { return }
        console.print(console.style.bold("in words"))
        console.print(HelpText.table(rows.map { ($0.0, SafeText.of($0.1)) }))
    }
}
