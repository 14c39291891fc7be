// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthSystem
import ServerStage
import ServerStorage
import TestSupport
import Testing

/// What happens between the moment at which an answer is looked at and the change that it causes, in a fixed order.
@Suite(
    "Attacks on sign-in without a browser: races in a fixed order, OAuth 2.0 for First-Party Applications section 5.3.1",
    .overSocketsOnEveryStore
)
struct FirstPartyRaceAttackTests {
    /// A change that comes between.
    enum Other: String, CaseIterable {
        case rightAnswer, wrongAnswer, redirect, removeUser, setPassword, removeClient
    }

    private let storage: CountedStorage
    private let server: ServerUnderTest
    private let app: FirstPartyApp

    init() async throws {
        storage = CountedStorage(try await ServerStage.storage())
        server = try await FirstPartyApp.server(storage: storage)
        app = try await FirstPartyApp(server)
        _ = try await app.begin()
    }

    private func carryOut(_ other: Other, in session: String) async throws {
        let now = server.clock.now()
        switch other {
        case .rightAnswer: #expect(try await app.answer(session).status == 200)
        case .wrongAnswer: try expectAskedAgain(try await app.answer(session, password: "wrong"))
        case .redirect: expect(try await redirect(session), isError: "redirect_to_web", status: 403)
        case .removeUser: #expect(try await storage.removeUser("subject-of-ada", at: now))
        case .setPassword:
            #expect(try await storage.setPassword(PasswordHash(stored: "$none$x"), of: "subject-of-ada"))
        case .removeClient: #expect(try await storage.removeClient("notes", at: now))
        }
    }

    private func redirect(_ session: String) async throws -> HTTPResponse {
        try await app.post(["auth_session": session, "step": "redirect_to_web"])
    }

    @Test(arguments: Other.allCases)
    func `attacks 214 and 215, a right answer to which something else came first gets no code`(
        other: Other
    ) async throws {
        let session = try await app.session()
        storage.beforeNextChange { try await carryOut(other, in: session) }
        let answer = try await app.answer(session)
        if other == .removeUser || other == .setPassword {
            expect(answer, isError: "access_denied")
        } else {
            expectSessionRejected(answer)
        }
        let grants = try await storage.grants(of: "subject-of-ada")
        #expect(grants.count == (other == .rightAnswer ? 1 : 0))
    }

    @Test(arguments: [Other.rightAnswer, .wrongAnswer, .redirect])
    func `attack 215, who goes to the browser after something else came first gets no request_uri`(
        other: Other
    ) async throws {
        let session = try await app.session()
        storage.beforeNextChange { try await carryOut(other, in: session) }
        expectSessionRejected(try await redirect(session))
    }

    @Test(arguments: [Other.rightAnswer, .wrongAnswer, .redirect])
    func `attack 214, a wrong answer to which something else came first does not go on`(other: Other) async throws {
        let session = try await app.session()
        storage.beforeNextChange { try await carryOut(other, in: session) }
        expectSessionRejected(try await app.answer(session, password: "wrong too"))
    }
}
