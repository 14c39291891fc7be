// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import OAuthSystem
import SigningKeys
import StrictJSON

/// `keybound attester serve`.
enum ServeAttester: Command {
    private static let listen = Option.value(
        "--listen",
        "ADDRESS:PORT",
        "where to listen: an address and port, or unix: and a path",
        default: "127.0.0.1:8090"
    )
    private static let url = Option.value(
        "--url",
        "URL",
        "the address that apps use, without a slash at the end",
        default: "where it listens"
    )
    private static let attestationKeys = Option.list(
        "--attestation-key",
        "FILE",
        "the names of attestation keys of TPMs that are known, in hexadecimal digits, one in a line"
    )
    private static let token = Option.value(
        "--evidence-token",
        "URI",
        "a token whose keys it can look at, for evidence of the format pkcs11"
    )
    private static let allowUnproven = Option.flag(
        "--allow-unproven",
        "attest every key, without evidence: anybody can then get an attestation"
    )

    private static let trustedProxies = Option.list(
        "--trusted-proxy",
        "CIDR",
        "proxies that are trusted to name the client's address; none if clients reach the attester directly",
        default: "127.0.0.0/8 and ::1"
    )
    private static let forwardedField = Option.value(
        "--forwarded-field",
        "NAME",
        "the header field in which proxies name the client: X-Forwarded-For or Forwarded; the other one is ignored",
        default: "X-Forwarded-For"
    )

    static let syntax = CommandSyntax(
        "attester serve",
        "attest keys of copies of an app",
        details: [
            "An app sends its public key and evidence about it, and gets an attestation with which it authenticates at an "
                + "authorization server that knows this attester (attesters in the configuration of keybound serve). "
                + "docs/attestation.md says what that proves, and how apps ask.",
            "It speaks http: put a proxy in front of it that terminates TLS and names the client in X-Forwarded-For, "
                + "because requests are limited by client. Each decision is one line of JSON on standard "
                + "output. The key of the attester is made at the first start; keybound attester jwks prints its public "
                + "half.",
        ],
        options: [AttesterOptions.client, AttesterOptions.lifetime] + AttesterKey.options
            + [attestationKeys, token, allowUnproven, listen, url, trustedProxies, forwardedField],
        examples: [
            .init(
                "Attest keys in TPMs that were enrolled",
                "keybound attester serve --client notes-app --attestation-key fleet.txt \\\n"
                    + "  --url https://attester.example.com --key tpm"
            ),
            .init(
                "Try it out on this machine",
                "keybound attester serve --client notes-app --allow-unproven --unencrypted-key-file"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let policy = try policy(arguments)
        let proxies = try TrustedProxies(
            ranges: arguments.has(trustedProxies) ? arguments.values(trustedProxies) : nil,
            from: trustedProxies.name,
            field: arguments.value(forwardedField),
            from: forwardedField.name
        )
        let place = try ServiceAddress(
            arguments.value(listen) ?? "127.0.0.1:8090",
            mode: 0o660,
            place: listen.name
        )
        let givenAddress = try givenAddress(arguments)
        // It makes the key the first time, which no wrong option may do.
        let issuer = try await AttesterOptions.issuer(arguments)
        TerminationSignals.install()
        let writer = LineWriter { StandardStream.output.write($0) }
        let service = LateBoundHandler()
        var limits = HTTPListenerLimits()
        limits.bodySize = 65_536
        limits.trustedPeers = proxies.ranges
        let listener = try HTTPListener(on: place.address, limits: limits, handler: service.respond)
        service.set(
            AttesterService(
                issuer,
                policy,
                address: givenAddress ?? place.url(port: listener.port),
                proxies: proxies,
                onUnnamedClient: { console.warn(Self.unnamedClient(proxies.field)) },
                audit: { object, time in writer.write(JSONLine.bytes(object, at: time)) }
            ).respond
        )
        console.note("attester of \(issuer.clients.map(SafeText.of).joined(separator: ", "))")
        if policy.allowsUnproven { console.warn("every key is attested, without evidence (\(allowUnproven.name))") }
        console.note("listening \(SafeText.of(place.url(port: listener.port)))")
        guard await TerminationSignals.next() != nil else {
            throw CommandFailure(.unavailable, "cannot wait for signals")
        }
        await listener.stop(draining: .seconds(5))
        await writer.flush()
    }

    private static func unnamedClient(_ field: ForwardedField) -> String {
        "a trusted proxy sent a request without \(field.name), so no limit applies to its clients: set the field in the "
            + "proxy, or give \(trustedProxies.name) none if clients connect directly"
    }

    private static func policy(_ arguments: ParsedArguments) throws -> EvidencePolicy {
        var policy = EvidencePolicy()
        policy.allowsUnproven = arguments.has(allowUnproven)
        for path in arguments.values(attestationKeys) {
            policy.attestationKeys.formUnion(try names(InputFile.read(path, limit: 1 << 20), path))
        }
        if let text = arguments.value(token) {
            let uri = try PKCS11URI(text)
            policy.token = try PKCS11KeyStore(uri, pin: uri.pinFile == nil ? .asking(KeyPIN.source(arguments)) : nil)
        }
        guard policy.allowsUnproven || !policy.attestationKeys.isEmpty || policy.token != nil else {
            throw CommandFailure.usage(
                "the attester would accept no evidence",
                hint: "give \(attestationKeys.name) or \(token.name), or to try it out \(allowUnproven.name)"
            )
        }
        return policy
    }

    /// The names in a file; empty lines and lines that begin with # do not count.
    private static func names(_ bytes: [UInt8], _ path: String) throws -> [[UInt8]] {
        try String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
            .map { line in
                guard let name = octets(line), name.count == 34 else {
                    throw CommandFailure.usage(
                        "\(SafeText.of(path)) has a line that is not the name of a TPM key",
                        hint:
                            "write the 68 digits that keybound keys attest --challenge prints as its attestation key name"
                    )
                }
                return name
            }
    }

    private static func octets(_ digits: Substring) -> [UInt8]? {
        let digits = Array(digits.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        let octets = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return octets.count * 2 == digits.count ? octets : nil
    }

    /// The address that apps use; `nil` for the one where it listens.
    private static func givenAddress(_ arguments: ParsedArguments) throws -> String? {
        guard let text = arguments.value(url) else { return nil }
        guard let uri = try? URI(parsing: text), uri.query == nil, uri.fragment == nil, !uri.path.hasSuffix("/") else {
            throw CommandFailure.usage(
                "--url must be an absolute URL without a query or a final slash",
                hint: "such as https://attester.example.com"
            )
        }
        return uri.description
    }
}
#endif
