// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import OAuthCore
import OAuthTransport
import ResourceServer

@testable import KeyboundCommand

/// The API of the demo, in the process of the tests.
enum ServedNotes {
    /// Starts it, for tokens with the audience that `serve` writes unless told otherwise.
    static func listen(for issuer: String) throws -> HTTPListener {
        let slot = LateBoundHandler()
        let listener = try HTTPListener(port: 0, handler: slot.respond)
        try answer(slot, of: issuer, at: "http://127.0.0.1:\(listener.port)", for: issuer)
        return listener
    }

    /// Answers as the API at an address, for tokens with an audience.
    static func answer(
        _ slot: LateBoundHandler,
        of issuer: String,
        at address: String,
        for audience: String
    ) throws {
        var configuration = GuardConfiguration(
            issuer: issuer,
            address: try URI(parsing: address),
            audience: audience
        )
        configuration.metadata = PublishedMetadata(name: "Notes")
        let keys = JWKSetCache(
            uri: try URI(parsing: issuer + "/jwks"),
            transport: PlatformTransport(),
            minimumInterval: .milliseconds(100)
        )
        slot.set(try NotesAPI(requestGuard: RequestGuard(configuration: configuration, keys: keys)).respond)
    }
}
