// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound serve: clients with a metadata document, over sockets")
struct ServedDocumentTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    /// A web server with the document of a client, and the number of its requests.
    private final class Publisher: Sendable {
        let count = Mutex(0)

        func respond(to request: HTTPRequest, at origin: String) -> HTTPResponse {
            count.withLock { $0 += 1 }
            let document: JSONObject = [
                "client_id": .string(origin + "/client.json"), "client_name": "Published Tool",
                "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"],
            ]
            return HTTPResponse(
                status: 200,
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(document).encoded()
            )
        }
    }

    @Test func `a client signs in with its URL alone, on a machine where the operator allowed that`() async throws {
        let (publisher, slot) = (Publisher(), LateBoundHandler())
        let listener = try HTTPListener(port: 0, handler: slot.respond)
        let origin = "http://127.0.0.1:\(listener.port)"
        slot.set { publisher.respond(to: $0, at: origin) }
        let server = try await ServedIssuer(
            in: directory,
            options: [
                "--unencrypted-key-file", "--client-documents", "everybody", "--unregistered-client-scope",
                ServedIssuer.scope, "--allow-insecure-loopback-client-documents",
            ]
        )
        try await tool.register()
        let signedIn = try await tool.signIn(
            at: server.issuer,
            options: ["--unencrypted-key-file"],
            clientID: origin + "/client.json"
        )
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        #expect(publisher.count.withLock { $0 } == 1)
        let shown = try await KeyboundProcess.run(["client", "show", origin + "/client.json"], in: directory)
        #expect(shown.output.contains("Published Tool") && shown.output.contains("in its metadata document"))
        let refreshed = try await KeyboundProcess.run(["token", "refresh"], in: directory)
        #expect(refreshed.status == 0, Comment(rawValue: refreshed.errors))
        _ = await server.stop()
        await listener.stop(draining: .zero)
    }

    @Test func `an address of this machine is never connected to otherwise, by number or by name`() async throws {
        let publisher = Publisher()
        let listener = try HTTPListener(port: 0) { publisher.respond(to: $0, at: "x") }
        let server = try await ServedIssuer(
            in: directory,
            options: [
                "--unencrypted-key-file", "--client-documents", "everybody", "--client-document-port",
                "\(listener.port)",
            ]
        )
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            let result = try await KeyboundProcess.run(
                SignInTool.arguments(
                    at: server.issuer,
                    clientID: "https://\(host):\(listener.port)/client.json"
                ) + ["--unencrypted-key-file", "--show-url"],
                in: directory
            )
            #expect(result.status == 1, "\(host)")
            #expect(result.errors.contains("invalid_client"), Comment(rawValue: result.errors))
        }
        #expect(publisher.count.withLock { $0 } == 0)
        _ = await server.stop()
        await listener.stop(draining: .zero)
    }
}
