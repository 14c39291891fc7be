// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthClient
import OAuthCore
import OAuthTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the screens of an app show about the person's account.
@MainActor
final class Account {
    enum Status: Equatable {
        case signedOut, signedIn
    }

    private(set) var status = Status.signedOut
    private(set) var notes: [String] = []
    private(set) var message: String?
    private let client: OAuth2Client
    private let userAgent: any UserAgent
    private var session: OAuthSession?

    init(client: OAuth2Client, userAgent: any UserAgent) {
        self.client = client
        self.userAgent = userAgent
    }

    func signIn() async {
        do {
            session = try await client.signIn(scopes: ["notes:read"], using: userAgent)
            (status, message) = (.signedIn, nil)
        } catch {
            message = Self.text(for: error)
        }
    }

    func loadNotes() async {
        guard let session, let url = URL(string: "https://api.example/notes") else { return }
        do {
            let (data, _) = try await session.data(for: URLRequest(url: url))
            notes = try JSONDecoder().decode([String].self, from: data)
            message = nil
        } catch {
            switch (error as? OAuthClientError)?.code {
            // Everything else leaves the session as it is.
            case .sessionEnded, .keyMissing, .keyMismatch: (status, notes) = (.signedOut, [])
            default: break
            }
            message = Self.text(for: error)
        }
    }
}

extension Account {
    static func text(for error: any Error) -> String? {
        guard let error = error as? OAuthClientError else { return "That did not work. Try again later." }
        return switch error.code {
        case .cancelled: nil
        case .authorizationRejected where error.answer?.error == .accessDenied: "You chose not to give access."
        case .sessionEnded, .keyMissing, .keyMismatch: "Please sign in again."
        case .transportFailed: "You seem to be offline."
        default: error.userMessage
        }
    }
}

/// All of it: the real server and the real checks of the API, in one process, without waiting.
@MainActor
struct AccountTests {
    let server: FakeAuthorizationServer
    let api: FakeResourceServer
    let account: Account

    init() async throws {
        server = try await FakeAuthorizationServer(scopes: ["notes:read"])
        api = try FakeResourceServer(for: server)
        try api.route("GET", "/notes", needing: ["notes:read"], json: #"["Water the plants"]"#)
        account = Account(client: try await server.makeClient(), userAgent: server.userAgent)
    }

    @Test func `a person signs in and sees notes`() async {
        await account.signIn()
        await account.loadNotes()
        #expect(account.status == .signedIn)
        #expect(account.notes == ["Water the plants"])
    }

    @Test func `a user who denies is told so; one who closes the window is not`() async {
        server.refuseNextSignIn()
        await account.signIn()
        #expect(account.message == "You chose not to give access.")
        server.userAgent.behavior = .cancels
        await account.signIn()
        #expect(account.status == .signedOut && account.message == nil)
    }

    @Test func `an expired token is renewed silently`() async {
        await account.signIn()
        server.expireAccessTokens()
        await account.loadNotes()
        #expect(account.notes == ["Water the plants"] && account.message == nil)
    }

    @Test func `a user who is offline stays signed in`() async {
        await account.signIn()
        api.answerNext(with: .networkFailure)
        await account.loadNotes()
        #expect(account.status == .signedIn && account.message == "You seem to be offline.")
    }

    @Test func `a session that the server has ended ends here too`() async throws {
        await account.signIn()
        await account.loadNotes()
        try server.revokeSessions()
        server.expireAccessTokens()
        await account.loadNotes()
        #expect(account.status == .signedOut && account.notes.isEmpty)
        #expect(account.message == "Please sign in again.")
    }
}
