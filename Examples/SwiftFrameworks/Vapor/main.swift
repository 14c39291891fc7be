// SPDX-License-Identifier: Apache-2.0

import KeyboundAPI
import OAuthMiddleware
import Vapor

/// An error of the app.
struct NotebookClosed: AbortError {
    let status = HTTPResponseStatus.conflict
    let reason = "the notebook is closed"
}

/// Middleware of the app that looks for that error, above the guard.
struct OwnErrors: AsyncMiddleware {
    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        do {
            return try await next.respond(to: request)
        } catch {
            let guarded = error as? GuardedAbort
            let thrown: any Error = if let guarded { guarded.underlying } else { error }
            guard let closed = thrown as? NotebookClosed else { throw error }
            return Response(status: closed.status, headers: guarded?.headers ?? [:], body: .init(string: "own: closed"))
        }
    }
}

let (issuer, address) = (CommandLine.arguments[1], CommandLine.arguments[2])
let apiGuard = try RequestGuard(
    issuer: issuer,
    address: address,
    metadata: PublishedMetadata(scopes: try Scope(["notes:read", "notes:write"]), name: "Notes")
)
let reading = GuardRequirement(scope: try Scope(["notes:read"]))
let writing = GuardRequirement(
    scope: try Scope(["notes:write"]),
    contexts: ["urn:example:two-factors"],
    maximumAge: .seconds(300)
)

let app = try await Application.make(Environment(name: "production", arguments: ["notes"]))
app.http.server.configuration.port = Int(address.split(separator: ":").last ?? "") ?? 8080
app.middleware.use(VaporResourceMetadata(apiGuard))
app.middleware.use(OwnErrors())
let readers = app.grouped("notes").grouped(VaporGuard(apiGuard, for: reading))
readers.get { request in "notes of \(try request.authorization.subject)" }
readers.get("missing") { _ -> String in throw Abort(.notFound) }
readers.get("closed") { _ -> String in throw NotebookClosed() }
let writers = app.grouped("notes").grouped(VaporGuard(apiGuard, for: writing))
writers.post { request in "written for \(try request.authorization.subject)" }
// A group in a group demands more.
let careful = readers.grouped("careful").grouped(VaporGuard(apiGuard, for: writing))
careful.get { request in "careful notes of \(try request.authorization.subject)" }
// A mistake: this route has no guard. It answers 500.
app.get("unguarded") { request in "notes of \(try request.authorization.subject)" }

try await app.execute()
try await app.asyncShutdown()
