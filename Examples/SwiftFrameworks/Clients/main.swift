// SPDX-License-Identifier: Apache-2.0

// Calls an API with AsyncHTTPClient, and as a client of Swift OpenAPI Generator does. Prints a line for each call.

import AsyncHTTPClient
import Foundation
import HTTPTypes
import Keybound
import NIOCore
import OAuthClientMiddleware
import OpenAPIAsyncHTTPClient
import OpenAPIRuntime

let (issuer, address) = (CommandLine.arguments[1], CommandLine.arguments[2])
let http = HTTPClient(configuration: .init(redirectConfiguration: .disallow))

/// A session of its own has learned no nonce.
func newSession(resource: String = address) async throws -> OAuthSession {
    var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
    configuration.clientAuthentication = .clientSecretBasic(ClientSecret("example"))
    let client = try OAuth2Client(issuer: issuer, clientID: "cli", configuration: configuration, storage: .memory)
    return try await client.serviceSession(scopes: ["notes:read", "notes:write"], resources: [resource])
}

func report(_ name: String, _ call: () async throws -> String) async {
    do {
        print("\(name): \(try await call())")
    } catch let error as OAuthClientError {
        print("\(name): error \(error.code)")
    } catch {
        print("\(name): error \(error)")
    }
}

// AsyncHTTPClient

func execute(
    _ session: OAuthSession,
    _ method: String = "GET",
    _ path: String = "/notes",
    _ client: HTTPClient = http,
    body: HTTPClientRequest.Body? = nil,
    isBodyReplayable: Bool = false
) async throws -> String {
    var request = HTTPClientRequest(url: (path.hasPrefix("/") ? address : "") + path)
    request.method = .init(rawValue: method)
    request.body = body
    request.headers.add(name: "Authorization", value: "Basic old")
    let response = try await client.execute(
        request,
        with: session,
        isBodyReplayable: isBodyReplayable,
        timeout: .seconds(30)
    )
    return "\(response.status.code) \(String(buffer: try await response.body.collect(upTo: 65_536)))"
}

func bytesAsStream() -> HTTPClientRequest.Body {
    .stream(
        AsyncStream<ByteBuffer> { stream in
            stream.yield(ByteBuffer(string: "hello"))
            stream.finish()
        },
        length: .known(Int64(5))
    )
}

let session = try await newSession()
await report("get") { try await execute(session, "GET", "/notes?a=%2F") }
await report("get again") { try await execute(session, "GET", "/notes") }
await report("stream") { try await execute(session, "POST", "/notes", body: bytesAsStream()) }
await report("bytes, new") {
    try await execute(newSession(), "POST", "/notes", body: .bytes(ByteBuffer(string: "hello")), isBodyReplayable: true)
}
await report("stream, new") { try await execute(newSession(), "POST", "/notes", body: bytesAsStream()) }
await report("missing") { try await execute(session, "GET", "/notes/missing") }
await report("other audience") { try await execute(newSession(resource: "https://other.example")) }
let following = HTTPClient(configuration: .init(redirectConfiguration: .follow(max: 5, allowCycles: false)))
await report("redirect") { try await execute(session, "GET", issuer + "/moved", following) }
await report("not https") { try await execute(session, "GET", "http://api.example/notes") }
try await following.shutdown()

// What the client of Swift OpenAPI Generator does for an operation

let transport = AsyncHTTPClientTransport(configuration: .init(client: http))

func call(
    _ session: OAuthSession,
    _ method: HTTPTypes.HTTPRequest.Method = .get,
    _ path: String = "/notes",
    body: HTTPBody? = nil
) async throws -> String {
    let base = try URL(validatingOpenAPIServerURL: address)
    let request = HTTPTypes.HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
    let (head, answer) = try await SessionMiddleware(session).intercept(
        request,
        body: body,
        baseURL: base,
        operationID: "notes"
    ) { try await transport.send($0, body: $1, baseURL: $2, operationID: "notes") }
    let text = if let answer { try await String(collecting: answer, upTo: 65_536) } else { "" }
    return "\(head.status.code) \(text)"
}

let second = try await newSession()
await report("openapi get") { try await call(second, .get, "/notes?a=%2F") }
await report("openapi get again") { try await call(second) }
await report("openapi bytes, new") { try await call(newSession(), .post, "/notes", body: "hello") }
let once = HTTPBody(AsyncStream<HTTPBody.ByteChunk> { $0.finish() }, length: .unknown)
await report("openapi stream, new") { try await call(newSession(), .post, "/notes", body: once) }
await report("openapi other audience") { try await call(newSession(resource: "https://other.example")) }
try await http.shutdown()
