// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("No secret that was handed out is in the database, its log, or what operators read", .overSocketsOnEveryStore)
struct StoredSecretsTests {
    private final class AuditLines: AuditSink {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func record(_ event: AuditEvent) {
            let line = String(decoding: JSONValue.object(event.json).encoded(), as: UTF8.self)
            lines.withLock { $0.append(line) }
        }
    }

    private let recorder = SecretRecorder()
    private let audit = AuditLines()

    @Test func `after sign-in, refresh, device, exchange, registration, assertion, revocation and misuse`() async throws
    {
        let server = recorder.overhearing(try await server())
        try await signInByPassword(server)
        let refreshToken = try await refreshAndMisuse(server)
        try await useDevice(server)
        try await useConfidentialClients(server)
        try await register(server)
        expectRecorded([
            "code", "code_verifier", "refresh_token", "access_token", "request_uri", "password", "csrf_token", "cookie",
            "nonce", "proof", "device_code", "user_code", "client_secret", "client_assertion", "subject_token", "token",
            "registration token",
        ])
        try expectNothingStored(reports: server.reports.all + audit.all, butHashOf: refreshToken)
    }

    @Test func `after opaque tokens were given out and asked about`() async throws {
        let server = recorder.overhearing(
            try await ResourcefulServer.make(storage: try await ServerStage.storage())
        )
        let client = try ResourcefulServer.client(server)
        let attempt = client.attempt(scope: "vault:open openid", resources: [ResourcefulServer.vault])
        let token = try await client.tokens(for: attempt).string("access_token")
        #expect(!token.contains("."), "an opaque token")
        let api = try ConfidentialClient(server, "vault-api")
        #expect(await api.introspect(token).json["active"] == true)
        expectRecorded(["access_token", "id_token", "refresh_token", "token"])
        try expectNothingStored(reports: server.reports.all, butHashOf: token)
    }

    // MARK: The flows

    private func server() async throws -> ServerUnderTest {
        var device = try ServerUnderTest.client("tv", redirectURIs: [])
        device.grantTypes = [.deviceCode, .refreshToken]
        return try await ServerUnderTest.inMemory(
            clients: [
                device, try ConfidentialClient.registration("basic", .clientSecretBasic),
                try ConfidentialClient.registration("signed", .privateKeyJWT),
                try ConfidentialClient.registration("backend", .clientSecretBasic) {
                    $0.scope = try Scope(parsing: "api:read")
                    $0.grantTypes = [.tokenExchange, .clientCredentials]
                    $0.introspectionAudiences = [ServerUnderTest.audience]
                    $0.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers]
                },
            ],
            audit: audit
        )
    }

    private func signInByPassword(_ server: ServerUnderTest) async throws {
        let (client, browser) = (try FakeClient(server), FakeBrowser(server))
        let attempt = client.attempt()
        let page = await browser.get(try await client.pushedTarget(attempt))
        #expect(try await browser.logIn(on: page, password: "a wrong password that was typed").status == 403)
        let consent = try await browser.follow(try await browser.logIn(on: page))
        let code = try #require(try await browser.decide("allow", on: consent).callback()["code"])
        #expect(try await client.redeem(code, attempt).status == 200)
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
    }

    /// A refresh token that works, after another one was used twice.
    private func refreshAndMisuse(_ server: ServerUnderTest) async throws -> String {
        let client = try FakeClient(server)
        let first = try await client.signIn().string("refresh_token")
        let second = try await client.refresh(first).string("refresh_token")
        #expect(try await client.refresh(second).status == 200)
        server.clock.advance(by: .seconds(60))
        expect(try await client.refresh(first), isError: "invalid_grant")
        let other = try await client.signIn().string("refresh_token")
        #expect(try await client.post("/revoke", ["client_id": "app", "token": other]).status == 200)
        return try await client.signIn().string("refresh_token")
    }

    private func useDevice(_ server: ServerUnderTest) async throws {
        let device = try await FakeDevice.start(server)
        expect(try await device.poll(), isError: "authorization_pending")
        try await device.decide("allow")
        #expect(try await device.poll().status == 200)
        let waiting = try await FakeDevice.start(server)
        _ = try await FakeDevice.type(waiting.userCode, in: server.signedInBrowser())
    }

    private func useConfidentialClients(_ server: ServerUnderTest) async throws {
        let basic = try ConfidentialClient(server, "basic")
        #expect(try await basic.tokens(fields: basic.basic).status == 200)
        let wrong = ConfidentialClient.basic("basic", "a wrong secret")
        expect(await server.post("/revoke", ["token": "x"], fields: wrong), isError: "invalid_client", status: 401)
        let signed = try ConfidentialClient(server, "signed")
        let assertion = try await signed.signed()
        #expect(try await signed.tokens(assertion).status == 200)
        expect(try await signed.tokens(assertion), isError: "invalid_client")
        let persons = try await FakeClient(server).signIn().string("access_token")
        let exchange = try ExchangeClient(server)
        #expect(try await exchange.exchange(persons).status == 200)
        #expect(await exchange.credentials.introspect(persons).json["active"] == true)
    }

    private func register(_ server: ServerUnderTest) async throws {
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        let token = try await administration.newRegistrationToken(uses: 2, lifetime: .seconds(3600)).value
        recorder.add(token, as: "registration token")
        let metadata: JSONObject = [
            "redirect_uris": ["https://new.example.com/callback"], "token_endpoint_auth_method": "client_secret_basic",
        ]
        let response = await server.send(
            HTTPRequest(
                method: "POST",
                target: "/register",
                fields: ["Content-Type": "application/json", "Authorization": "Bearer \(token)"],
                body: JSONValue.object(metadata).encoded()
            )
        )
        #expect(response.status == 201 && response.json["client_secret"] != nil, "\(response.text)")
    }

    // MARK: The search

    private func expectRecorded(_ kinds: [String]) {
        for kind in kinds { #expect(recorder.secrets[kind]?.isEmpty == false, "no \(kind) was seen") }
    }

    private func expectNothingStored(reports: [String], butHashOf secret: String) throws {
        let files = try ServerStage.storedFiles().map { ($0.name, Data($0.bytes)) }
        if !files.isEmpty {
            // The search finds what is there.
            let hash = Data(SecretHash(of: secret).bytes)
            #expect(files.contains { $0.1.range(of: hash) != nil }, "not even a hash is found: the search is wrong")
            #expect(files.contains { $0.0.hasSuffix("-wal") && !$0.1.isEmpty })
        }
        let log = Data(reports.joined(separator: "\n").utf8)
        for (kind, secrets) in recorder.secrets {
            for secret in secrets {
                for form in Self.forms(of: secret) {
                    #expect(log.range(of: form) == nil, "a \(kind) is in a log or an audit event")
                    for (name, content) in files { #expect(content.range(of: form) == nil, "a \(kind) is in \(name)") }
                }
            }
        }
    }

    /// A secret as text, as the bytes that its text stands for, and as text of its bytes.
    private static func forms(of secret: String) -> [Data] {
        let octets = Array(secret.utf8)
        let hexadecimal = octets.map { String(($0 >> 4), radix: 16) + String(($0 & 15), radix: 16) }.joined()
        var forms = [
            octets, Array(Base64URL.encode(octets).utf8), Array(Base64.encode(octets).utf8), Array(hexadecimal.utf8),
        ]
        // A user code is typed without its dash too.
        if secret.contains("-"), octets.count == 9 { forms.append(octets.filter { $0 != UInt8(ascii: "-") }) }
        // The last part of a JWT is its signature; codes and tokens have a prefix.
        let last = secret.split(separator: ".").last.map(String.init) ?? secret
        for text in [last, String(last.dropFirst(4))] {
            guard let bytes = try? Base64URL.decode(text), bytes.count >= 16 else { continue }
            forms.append(bytes)
        }
        return forms.map { Data($0) }
    }
}
