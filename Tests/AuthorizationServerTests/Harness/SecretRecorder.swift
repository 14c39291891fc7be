// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON
import Synchronization
import TestSupport

/// Records every secret that is sent in either direction, so that tests can search for it where it must not be.
final class SecretRecorder: Sendable {
    private static let parameters: Set<String> = [
        "code", "code_verifier", "refresh_token", "token", "subject_token", "actor_token", "client_secret",
        "client_assertion", "device_code", "user_code", "password", "csrf_token", "request", "request_uri",
    ]
    private static let members: Set<String> = [
        "access_token", "refresh_token", "id_token", "device_code", "user_code", "client_secret", "request_uri",
    ]

    private let found = Mutex<[String: Set<String>]>([:])

    /// The secrets, by kind.
    var secrets: [String: Set<String>] { found.withLock { $0 } }

    func add(_ secret: String, as kind: String) {
        // The last part of a URN; short values, such as the names of forms, are not secrets.
        let value = secret.hasPrefix("urn:") ? String(secret.split(separator: ":").last ?? "") : secret
        guard value.utf8.count >= 8 else { return }
        found.withLock { _ = $0[kind, default: []].insert(value) }
    }

    /// The same server with its messages recorded.
    func overhearing(_ server: ServerUnderTest) -> ServerUnderTest {
        ServerUnderTest(
            clock: server.clock,
            entropy: server.entropy,
            storage: server.storage,
            reports: server.reports
        ) { request in
            self.take(request)
            let response = await server.send(request)
            self.take(response)
            return response
        }
    }

    private func take(_ request: HTTPRequest) {
        take((try? FormParameters(decoding: String(decoding: request.body, as: UTF8.self))) ?? [:])
        if let mark = request.target.firstIndex(of: "?") {
            take((try? FormParameters(decoding: String(request.target[request.target.index(after: mark)...]))) ?? [:])
        }
        take(cookies: request.fields.values(for: "Cookie"))
        if let proof = request.fields["DPoP"] { add(proof, as: "proof") }
        for value in request.fields.values(for: "Authorization") {
            let credentials = String(value.split(separator: " ").last ?? "")
            add(credentials, as: "credentials")
            guard value.hasPrefix("Basic "), let pair = try? Base64.decode(credentials) else { continue }
            let secret = String(decoding: pair, as: UTF8.self).split(separator: ":").last ?? ""
            let decoded = try? FormParameters(decoding: "secret=\(secret)")
            add(decoded?["secret"] ?? "", as: "client_secret")
        }
    }

    private func take(_ response: HTTPResponse) {
        for member in response.json.members where Self.members.contains(member.name) {
            if let value = member.value.stringValue { add(value, as: member.name) }
        }
        if let location = response.fields["Location"], let mark = location.firstIndex(of: "?") {
            take((try? FormParameters(decoding: String(location[location.index(after: mark)...]))) ?? [:])
        }
        take(cookies: response.fields.values(for: "Set-Cookie"))
        if let nonce = response.fields["DPoP-Nonce"] { add(nonce, as: "nonce") }
    }

    private func take(_ form: FormParameters) {
        for parameter in form.all where Self.parameters.contains(parameter.name) {
            add(parameter.value, as: parameter.name)
        }
    }

    private func take(cookies: [String]) {
        for pair in cookies.flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].contains("keybound") { add(String(parts[1]), as: "cookie") }
        }
    }
}
