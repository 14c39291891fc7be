// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import SigningKeys
import StrictJSON
import Testing

@testable import OAuthClient

@Suite("Errors that users and developers can act on")
struct ErrorTextTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/OAuthClient/Client/OAuthClientError+Code.swift")
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../docs/client.md"
    )

    @Test func `every code has a sentence, a recovery unless there is nothing to do, and a row of the page`() throws {
        let declared = try String(contentsOf: Self.sources, encoding: .utf8)
            .matches(of: /public static let (\w+) = Self\("(\w+)"\)/).map { String($0.output.2) }
        #expect(Set(OAuthClientError.Code.all.map(\.rawValue)) == Set(declared))
        #expect(declared.count > 30)
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        for code in OAuthClientError.Code.all {
            let error = OAuthClientError(code, "a reason")
            #expect(error.localizedDescription == error.userMessage)
            #expect(error.failureReason == "a reason")
            #expect(error.helpAnchor == code.rawValue)
            let hasNothingToDo = code == .cancelled || code == .unrelatedCallback
            #expect((error.recoverySuggestion == nil) == hasNothingToDo, "\(code)")
            let recovery = error.recovery.map { "`\($0.rawValue)`" } ?? "-"
            #expect(page.contains("| `\(code)` | \(error.userMessage) | \(recovery) |"), "\(code)")
        }
    }

    @Test func `every code of key stores has a row of the page, and every row is a code`() throws {
        let source = Self.sources.deletingLastPathComponent().appending(path: "../../SigningKeys/KeyStoreError.swift")
        let declared = try String(contentsOf: source, encoding: .utf8)
            .matches(of: /public static let (\w+) = Self\("(\w+)"\)/).map { String($0.output.2) }
        #expect(declared.count >= 17)
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let part = try #require(page.split(separator: "## Errors of key stores").last?.split(separator: "\n## ").first)
        let rows = part.matches(of: /\n\| `(\w+)` \| [^|]+ \| [^|]+ \|/).map { String($0.output.1) }
        #expect(rows == declared)
    }

    @Test func `what the server says is kept apart from what the app says`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        let answer = HTTPResponse.json(
            400,
            [
                "error": "invalid_grant", "error_description": "call 0900 to win",
                "error_uri": "https://auth.example/errors/7",
            ]
        )
        await fixture.server.change { $0.instead["/token"] = [answer] }
        let error = try #require(await clientError { try await session.refresh() })
        #expect(error.code == .sessionEnded)
        #expect(error.answer?.errorDescription == "call 0900 to win")
        #expect(error.answer?.errorURI == "https://auth.example/errors/7")
        for text in [
            error.userMessage, error.reason, error.recovery?.text ?? "", "\(error)", error.localizedDescription,
        ] {
            #expect(!text.contains("0900") && !text.contains("errors/7"))
        }
        #expect(error.developerDescription.contains("the server says: call 0900 to win"))
        #expect(error.developerDescription.contains("the server refers to: https://auth.example/errors/7"))
    }

    @Test func `a busy server's recovery says how long to wait`() {
        let error = OAuthClientError(retryAfter: .seconds(40))
        #expect(error.recovery?.rawValue == "retryLater")
        #expect(error.recovery?.after == .seconds(40))
    }

    @Test func `dump and crash reporters see nothing but code, reason and status`() throws {
        struct Underlying: Error { let secret = "MARK" }
        let response = try OAuthErrorResponse(parsing: ["error": "invalid_grant", "error_description": "MARK"])
        let error = OAuthClientError(.sessionEnded, "a reason", answer: response, underlying: Underlying())
        var dumped = ""
        dump(error, to: &dumped)
        for text in [dumped, "\(error)", String(reflecting: error), error.localizedDescription] {
            #expect(!text.contains("MARK"))
        }
        #expect(dumped.contains("sessionEnded") && dumped.contains("a reason"))
    }

    @Test func `errors of stores and transports are told to users too`() {
        let locked: any LocalizedError = KeyStoreError(.deviceLocked, "the device is locked")
        #expect(locked.recoverySuggestion == "Unlock the device and try again.")
        #expect(locked.helpAnchor == "deviceLocked")
        let lost: any LocalizedError = KeyStoreError(.keyLost, "gone")
        #expect(lost.recoverySuggestion == "Sign in again.")
        let offline: any LocalizedError = OAuthCoreError(.transportFailed, "nothing answers")
        #expect(offline.recoverySuggestion == "Check the network connection and try again.")
    }
}
