// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import HTTPServer
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

extension DoctorCheck {
    /// Whether the port is free, or the server itself has it.
    static let listening = DoctorCheck(.network, "port") { context in
        guard let settings = context.settings, let address = try ServiceAddress(settings).network else { return [] }
        let text = address.text(port: address.port)
        do throws(HTTPServerError) {
            let listener = try HTTPListener(address: address.address, port: address.port) { _ in
                HTTPResponse(status: 503)
            }
            await listener.stop(draining: .zero)
            return [.note("nothing listens on \(text): the server is not running")]
        } catch {
            let issuer = try ServerConfiguration(unchecked: settings).issuer
            let path = try WellKnownURI.authorizationServerMetadata(of: issuer).path
            let found = await object(at: "http://\(text)\(path)", context)["issuer"]?.stringValue
            guard found == issuer.description else {
                return [
                    .failure(
                        "the server cannot listen on \(text): \(error.reason)",
                        "ss -ltnp shows which program has a port; --listen chooses another address"
                    )
                ]
            }
            return [.good("the server runs, on \(text)"), await readiness(at: text, context)]
        }
    }

    /// A server that runs may still be unable to serve: its database takes no writes, or a key device is gone.
    private static func readiness(at address: String, _ context: DoctorContext) async -> DoctorFinding {
        let advice = "the log of the server says why: journalctl -u keybound"
        guard let response = try? await context.fetch("http://\(address)/ready") else {
            return .failure("the server does not say whether it is ready: /ready does not answer", advice)
        }
        guard response.status == 200 else {
            let reason = String(decoding: response.body, as: UTF8.self).droppingLineBreak
            return .failure("the server is not ready: \(response.status) \(SafeText.of(reason))", advice)
        }
        return .good("the server is ready")
    }

    /// The issuer as clients see it: through the proxy, with TLS.
    static let issuer = DoctorCheck(.network, "issuer") { context in
        guard let issuer = try context.issuer else { return [] }
        let wellKnown = try WellKnownURI.authorizationServerMetadata(of: issuer).description
        let response: HTTPResponse
        do throws(OAuthCoreError) {
            response = try await context.fetch(wellKnown)
        } catch {
            return [
                .failure(
                    "clients cannot reach \(SafeText.of(issuer.description)): \(error.reason)",
                    "check its name, the certificate, and the proxy in front of the server"
                )
            ]
        }
        guard response.status == 200, let object = try? JSONValue(parsing: response.body).objectValue,
            object["issuer"]?.stringValue == issuer.description
        else {
            return [
                .failure(
                    "\(SafeText.of(wellKnown)) answers \(response.status), and is not the metadata of this issuer",
                    "the proxy must pass the path on unchanged, and issuer must be the address that clients use"
                )
            ]
        }
        var findings = [DoctorFinding.good("clients find the metadata of \(SafeText.of(issuer.description))")]
        if let keys = try await context.signingKeys(), let uri = object["jwks_uri"]?.stringValue {
            findings += await publication(of: keys.map(\.keyID), at: uri, context)
        }
        if issuer.scheme == "https", response.fields.values(for: "Strict-Transport-Security").isEmpty {
            findings.append(
                .warning(
                    "the response lacks Strict-Transport-Security, which the server sends: the proxy removes it",
                    "configure the proxy to forward all response fields"
                )
            )
        }
        return findings
    }

    /// Another server with the same issuer would be trusted in place of this one.
    private static func publication(
        of keys: [String],
        at uri: String,
        _ context: DoctorContext
    ) async -> [DoctorFinding] {
        let set = await object(at: uri, context)
        let published = set["keys"]?.arrayValue?.compactMap { $0.objectValue?["kid"]?.stringValue } ?? []
        guard keys.isEmpty || published.contains(where: keys.contains) else {
            return [
                .failure(
                    "\(SafeText.of(uri)) has none of the keys of this database: another server answers there",
                    "check where the proxy sends requests, and the database that the configuration names"
                )
            ]
        }
        return [.good("the keys of this database are published")]
    }

    /// The clock of this machine next to that of the issuer.
    static let issuerClock = DoctorCheck(.clock, "offset") { context in
        guard let issuer = try context.issuer,
            let response = try? await context.fetch(WellKnownURI.authorizationServerMetadata(of: issuer).description),
            let date = response.fields.values(for: "Date").first.flatMap({ HTTPDate($0)?.time })
        else { return [] }
        let offset = context.clock.now() - date
        let seconds = abs(Int(offset.components.seconds))
        let text = "the clock differs by \(seconds) s from that of the issuer"
        let advice = "synchronize both clocks: proofs are accepted for a few seconds only"
        switch seconds {
        case ..<5: return [.good(text)]
        case ..<30: return [.warning(text, advice)]
        default: return [.failure(text, advice)]
        }
    }

    /// The JSON object at an address; empty if there is none.
    private static func object(at url: String, _ context: DoctorContext) async -> JSONObject {
        guard let response = try? await context.fetch(url),
            let object = try? JSONValue(parsing: response.body).objectValue
        else { return JSONObject() }
        return object
    }
}

extension DoctorContext {
    /// The issuer that the settings name; `nil` without settings.
    var issuer: URI? {
        get throws { try settings.map { try ServerConfiguration(unchecked: $0).issuer } }
    }

    /// Sends a GET request, as a client would.
    func fetch(_ url: String) async throws(OAuthCoreError) -> HTTPResponse {
        try await transport.send(HTTPRequest(target: url), maximumBodySize: 1 << 20)
    }
}
#endif
