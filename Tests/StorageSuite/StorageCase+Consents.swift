// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import OAuthCore
import OAuthSystem
import ServerStorage
import Testing

extension StorageCase {
    static let consents: [StorageCase] = remembering + withdrawal

    private static let remembering: [StorageCase] = [
        StorageCase("a consent is stored with the code that it issues, and found as it was stored") {
            store async throws in
            let consent = try Sample.consent()
            #expect(try await store.consents(of: "subject").isEmpty)
            #expect(try await store.issue("a", by: .givenToRemember(consent)) == .issued)
            #expect(
                try await store.consent(of: "subject", to: Sample.clientID, details: consent.detailsHash) == consent
            )
            #expect(try await store.consents(of: "subject") == [consent])
        },
        StorageCase("a code that is issued without a consent to remember stores none") { store async throws in
            #expect(try await store.issue("a", by: .given) == .issued)
            #expect(try await store.consents(of: "subject").isEmpty)
        },
        StorageCase("a consent is for one user, one client and one details hash, byte by byte") {
            store async throws in
            let details = Sample.hash("nothing")
            #expect(try await store.issue("a", by: .givenToRemember(Sample.consent(clientID: "K"))) == .issued)
            #expect(try await store.consent(of: "subject", to: "K", details: details) != nil)
            #expect(try await store.consent(of: "subject", to: "k", details: details) == nil)
            #expect(try await store.consent(of: "subject", to: "\u{212A}", details: details) == nil)
            #expect(try await store.consent(of: "Subject", to: "K", details: details) == nil)
            #expect(try await store.consent(of: "subject", to: "K", details: Sample.hash("more")) == nil)
            #expect(try await store.consents(of: "Subject").isEmpty)
        },
        StorageCase("a later consent is added to the earlier one") { store async throws in
            let (first, second) = (try Sample.consent("openid api:read"), try Sample.consent("api:write openid"))
            #expect(try await store.issue("a", by: .givenToRemember(first)) == .issued)
            #expect(try await store.issue("b", by: .givenToRemember(second)) == .issued)
            let stored = try #require(try await store.consents(of: "subject").first)
            #expect(stored.scope.tokens == ["openid", "api:read", "api:write"])
            #expect(try await store.consents(of: "subject").count == 1)
            let other = try Sample.consent("api:admin", details: "more")
            #expect(try await store.issue("c", by: .givenToRemember(other)) == .issued)
            #expect(try await store.consents(of: "subject").count == 2)
            #expect(
                try await store.issue("d", by: .remembered(Sample.consent("openid api:admin"))) == .consentWithdrawn
            )
        },
        StorageCase("a consent that covers the request issues a code, and every other one changes nothing") {
            store async throws in
            #expect(try await store.issue("a", by: .remembered(Sample.consent())) == .consentWithdrawn)
            #expect(try await store.authorizationRequest(Sample.hash("request a"), at: Sample.now) != nil)
            #expect(try await !store.isInForce("a"))
            #expect(try await store.code(Sample.codeSecret("a")) == nil)
            #expect(try await store.issue("b", by: .givenToRemember(Sample.consent())) == .issued)
            #expect(try await store.issue("c", by: .remembered(Sample.consent("api:read"))) == .issued)
            #expect(try await store.issue("d", by: .remembered(Sample.consent("api:write"))) == .consentWithdrawn)
            let another = try Sample.consent("api:read", details: "more")
            #expect(try await store.issue("e", by: .remembered(another)) == .consentWithdrawn)
        },
        StorageCase("a used request or a used challenge stores no consent") { store async throws in
            try await store.signIn("a")
            let spent = try await store.issue(
                Sample.code("b", challenge: "a"),
                under: Sample.grant("b"),
                consuming: Sample.hash("request a"),
                by: .givenToRemember(Sample.consent()),
                at: Sample.now
            )
            #expect(spent == .requestUsed)
            try await store.add(Sample.request("c"))
            let reused = try await store.issue(
                Sample.code("c", challenge: "a"),
                under: Sample.grant("c"),
                consuming: Sample.hash("request c"),
                by: .givenToRemember(Sample.consent()),
                at: Sample.now
            )
            #expect(reused == .challengeReused)
            #expect(try await store.consents(of: "subject").isEmpty)
        },
    ]

    private static let withdrawal: [StorageCase] = [
        StorageCase("withdrawing a consent deletes it, and revokes every grant to that client") {
            store async throws in
            #expect(try await store.issue("a", by: .givenToRemember(Sample.consent())) == .issued)
            #expect(try await store.issue("b", by: .givenToRemember(Sample.consent(details: "more"))) == .issued)
            try await store.signInForToken("c")
            #expect(try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now))
            #expect(try await store.consents(of: "subject").isEmpty)
            for label in ["a", "b", "c"] { #expect(try await !store.isInForce(label)) }
            #expect(try await store.redeem(Sample.codeSecret("a"), issuing: nil, at: Sample.now) == .unknown)
            #expect(try await store.rotate("c 0", to: "c 1", grant: "c") == .unknown)
            #expect(try await !store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now))
        },
        StorageCase("removing a client deletes the consents to it, and no others") { store async throws in
            #expect(try await store.add(Sample.client()))
            #expect(try await store.issue("a", by: .givenToRemember(Sample.consent())) == .issued)
            #expect(try await store.issue("b", by: .givenToRemember(Sample.consent(clientID: "b"))) == .issued)
            #expect(try await store.removeClient(Sample.clientID, at: Sample.now))
            #expect(try await store.consents(of: "subject") == [Sample.consent(clientID: "b")])
        },
        StorageCase("withdrawing affects no other user and no other client") { store async throws in
            #expect(try await store.issue("a", by: .givenToRemember(Sample.consent(clientID: "b"))) == .issued)
            #expect(try await !store.withdrawConsent(of: "Subject", to: Sample.clientID, at: Sample.now))
            #expect(try await !store.withdrawConsent(of: "subject", to: "APP", at: Sample.now))
            #expect(try await store.isInForce("a"))
            // The grant belongs to one client, the consent to the other.
            #expect(try await store.withdrawConsent(of: "subject", to: "b", at: Sample.now))
            #expect(try await store.isInForce("a"))
            #expect(try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now))
            #expect(try await !store.isInForce("a"))
        },
        StorageCase(race: "codes based on a consent, racing its withdrawal, leave no grant in force") {
            handles async throws in
            let session = try await handles[0].signedIn()
            #expect(try await handles[0].issue("first", by: .givenToRemember(Sample.consent())) == .issued)
            let outcomes = try await Race.run(handles) { store, task in
                guard task != Race.size / 2 else {
                    _ = try await store.withdrawConsent(of: "subject", to: Sample.clientID, at: Sample.now)
                    return CodeIssuance.consentWithdrawn
                }
                return try await store.issue("\(task)", in: session, by: .remembered(Sample.consent()))
            }
            #expect(outcomes.allSatisfy { $0 == .issued || $0 == .consentWithdrawn })
            for task in 0..<Race.size { #expect(try await !handles[0].isInForce("\(task)")) }
        },
    ]

    /// The browser of a request.
    static let browsers: [StorageCase] = [
        StorageCase("signing in for a request binds it to that browser") { store async throws in
            try await store.add(Sample.request("a"))
            #expect(try await store.browser(of: "a") == nil)
            try await store.start(Sample.session("one", for: "a"), replacing: Sample.hash("before"))
            #expect(try await store.browser(of: "a") == Sample.hash("one"))
            try await store.start(Sample.session("two", for: "a"), replacing: Sample.hash("elsewhere"))
            #expect(try await store.browser(of: "a") == Sample.hash("one"))
        },
        StorageCase("the same user who signs in again for a request takes it along; nobody else does") {
            store async throws in
            try await store.add(Sample.request("a"))
            try await store.start(Sample.session("one", for: "a", of: "user"), replacing: Sample.hash("before"))
            // The second submission of the same form: it replaces the same cookie.
            try await store.start(Sample.session("two", for: "a", of: "user"), replacing: Sample.hash("before"))
            #expect(try await store.browser(of: "a") == Sample.hash("two"))
            // The first one, which took longer, comes too late.
            var late = Sample.session("late", for: "a", of: "user")
            late.authenticatedAt = late.authenticatedAt - .milliseconds(1)
            try await store.start(late, replacing: Sample.hash("before"))
            #expect(try await store.browser(of: "a") == Sample.hash("two"))
            for other in ["other", "User"] {
                try await store.start(Sample.session("of \(other)", for: "a", of: other), replacing: nil)
                #expect(try await store.browser(of: "a") == Sample.hash("two"))
            }
            // A session that has ended proves nothing about who signed in.
            try await store.endSession(Sample.hash("two"))
            try await store.start(Sample.session("three", for: "a", of: "user"), replacing: nil)
            #expect(try await store.browser(of: "a") == Sample.hash("two"))
        },
        StorageCase(race: "a user who signs in many times at once for one request has it in one of the sessions") {
            handles async throws in
            try await handles[0].add(Sample.request("a"))
            _ = try await Race.run(handles) { store, task in
                var session = Sample.session("\(task)", for: "a", of: "user")
                session.authenticatedAt = session.authenticatedAt + .milliseconds(task)
                try await store.start(session, replacing: Sample.hash("before"))
            }
            #expect(try await handles[0].browser(of: "a") == Sample.hash("\(Race.size - 1)"))
        },
        StorageCase("a new cookie takes over all requests of its browser, and no others") { store async throws in
            for label in ["a", "b", "c"] { try await store.add(Sample.request(label)) }
            try await store.start(Sample.session("one", for: "a"), replacing: nil)
            try await store.start(Sample.session("other", for: "b"), replacing: nil)
            try await store.start(Sample.session("two", for: "c"), replacing: Sample.hash("one"))
            #expect(try await store.browser(of: "a") == Sample.hash("two"))
            #expect(try await store.browser(of: "b") == Sample.hash("other"))
            #expect(try await store.browser(of: "c") == Sample.hash("two"))
        },
        StorageCase(race: "of 64 browsers that sign in for one request, it belongs to one") { handles async throws in
            try await handles[0].add(Sample.request("a"))
            let seen = try await Race.run(handles) { store, task in
                try await store.start(Sample.session("\(task)", for: "a"), replacing: nil)
                return try await store.browser(of: "a")
            }
            #expect(Set(seen).count == 1 && !seen.contains(nil))
        },
    ]
}

extension Sample {
    /// A session of a user who signed in for a request.
    fileprivate static func session(
        _ label: String,
        for request: String,
        of subject: String? = nil
    ) -> BrowserSession {
        var session = session(label)
        if let subject { session.subject = subject }
        session.requestHash = hash("request \(request)")
        return session
    }
}

extension AuthorizationStorage {
    /// Stores a request and issues its code with a given consent, in a given session.
    func issue(
        _ label: String,
        challenge: String? = nil,
        in given: SecretHash? = nil,
        by decision: ConsentDecision = .given
    ) async throws -> CodeIssuance {
        let session = if let given { given } else { try await signedIn() }
        try await add(Sample.request(label))
        return try await issue(
            Sample.code(label, challenge: challenge),
            under: Sample.grant(label),
            consuming: Sample.hash("request \(label)"),
            in: session,
            by: decision,
            at: Sample.now
        )
    }

    fileprivate func browser(of request: String) async throws -> SecretHash? {
        try await authorizationRequest(Sample.hash("request \(request)"), at: Sample.now)?.browserHash
    }
}
