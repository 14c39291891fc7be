// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import KeyboundAPI
import OAuthMiddleware

struct AppContext: AuthorizedRequestContext {
    var coreContext: CoreRequestContextStorage
    var authorizedRequest: AuthorizedRequest?

    init(source: Source) {
        coreContext = .init(source: source)
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

let router = Router(context: AppContext.self)
router.add(middleware: HummingbirdResourceMetadata(apiGuard))
router.group("notes").add(middleware: HummingbirdGuard(apiGuard, for: reading))
    .get { _, context in "notes of \(try context.authorization.subject)" }
    .get("missing") { _, _ -> String in throw HTTPError(.notFound) }
    .get("closed") { _, _ -> String in throw HTTPError(.conflict, message: "own: closed") }
router.group("notes").add(middleware: HummingbirdGuard(apiGuard, for: writing))
    .post { _, context in "written for \(try context.authorization.subject)" }
// A group in a group demands more.
router.group("notes").add(middleware: HummingbirdGuard(apiGuard, for: reading))
    .group("careful").add(middleware: HummingbirdGuard(apiGuard, for: writing))
    .get { _, context in "careful notes of \(try context.authorization.subject)" }
// A mistake: this route has no guard. It answers 500.
router.get("unguarded") { _, context in "notes of \(try context.authorization.subject)" }

let port = Int(address.split(separator: ":").last ?? "") ?? 8080
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
