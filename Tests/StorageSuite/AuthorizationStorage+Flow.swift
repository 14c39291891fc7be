// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
package import OAuthSystem
package import ServerStorage
import Testing

/// The steps of a sign-in, so that a case can start at any of them.
extension AuthorizationStorage {
    /// Starts a session without a password.
    package func start(_ session: BrowserSession, replacing previous: SecretHash?) async throws {
        #expect(try await start(session, replacing: previous, judgedBy: nil))
    }

    /// A user signs in, with a new account if there is none; the session outlasts every test.
    ///
    /// - Parameter subject: `sub`; that of every grant of a sample by default.
    /// - Returns: The hash of the cookie.
    /// - Throws: An error of the driver.
    package func signedIn(_ subject: String = "subject") async throws -> SecretHash {
        for username in [Sample.account.username, subject] {
            if try await add(Sample.user(username, subject: subject)) { break }
        }
        var session = Sample.session("session of \(subject)", of: subject)
        session.expiresAt = Sample.now + .seconds(3650 * 86_400)
        try await start(session, replacing: nil)
        return session.idHash
    }

    /// Issues a code to a user who is signed in, after a consent that is not remembered unless the test says so.
    package func issue(
        _ code: StoredCode,
        under grant: Grant,
        consuming referenceHash: SecretHash,
        by decision: ConsentDecision = .given,
        at now: Timestamp
    ) async throws -> CodeIssuance {
        let session = try await signedIn(grant.subject)
        return try await issue(code, under: grant, consuming: referenceHash, in: session, by: decision, at: now)
    }

    /// Stores a request and issues its code and grant, all with one label.
    package func signIn(_ label: String, codeExpiresAt: Timestamp = Sample.now + .seconds(60)) async throws {
        try await add(Sample.request(label))
        let issuance = try await issue(
            Sample.code(label, expiresAt: codeExpiresAt),
            under: Sample.grant(label),
            consuming: Sample.hash("request \(label)"),
            at: Sample.now
        )
        #expect(issuance == .issued)
    }

    /// Signs in and exchanges the code for the refresh token `<label> 0`.
    package func signInForToken(_ label: String, expiresAt: Timestamp = Sample.now + .seconds(30 * 86_400)) async throws
    {
        try await signIn(label)
        let token = try Sample.token("\(label) 0", grant: label, expiresAt: expiresAt)
        #expect(try await redeem(Sample.codeSecret("\(label)"), issuing: token, at: Sample.now) == .first)
    }

    /// Rotates one refresh token to the next, both by their labels.
    package func rotate(
        _ token: String,
        to successor: String,
        grant: String,
        grace: Duration = .zero,
        at now: Timestamp = Sample.now
    ) async throws -> RefreshRotation {
        try await rotate(
            Sample.tokenSecret(token, grant: grant),
            to: Sample.token(successor, grant: grant),
            grace: grace,
            at: now
        )
    }

    /// Stores a device authorization and the request of the user who typed its code, all with one label.
    package func waitForPerson(_ label: String, expiresAt: Timestamp = Sample.now + .seconds(600)) async throws {
        #expect(try await add(Sample.device(label, expiresAt: expiresAt)))
        var request = try Sample.request(label)
        request.request.deviceCodeHash = try Sample.deviceSecret(label).hash
        request.request.deviceGrantID = Sample.grantID(label)
        try await add(request)
    }

    /// The user allows a device, in the request with another label if one is given, and in that session.
    package func allow(
        _ label: String,
        in request: String? = nil,
        by given: SecretHash? = nil,
        at now: Timestamp = Sample.now
    ) async throws -> Bool {
        let session = if let given { given } else { try await signedIn() }
        var grant = try Sample.grant(label)
        // Each decision is another one.
        if let request { grant.authentication.reference = request }
        return try await allowDevice(
            Sample.deviceSecret(label).hash,
            under: grant,
            consuming: Sample.hash("request \(request ?? label)"),
            in: session,
            at: now
        )
    }

    /// The user denies a device.
    package func deny(_ label: String, in request: String? = nil, at now: Timestamp = Sample.now) async throws -> Bool {
        try await denyDevice(
            Sample.deviceSecret(label).hash,
            consuming: Sample.hash("request \(request ?? label)"),
            at: now
        )
    }

    /// Polls as a device.
    package func poll(_ label: String, at now: Timestamp = Sample.now) async throws -> DevicePoll {
        try await pollDevice(Sample.deviceSecret(label), at: now)
    }

    /// Redeems a device code for the refresh token of a label, or for none.
    package func redeem(
        device label: String,
        token: String?,
        at now: Timestamp = Sample.now
    ) async throws -> CodeRedemption {
        try await redeemDevice(
            Sample.deviceSecret(label),
            issuing: token.map { try Sample.token($0, grant: label) },
            until: now + .seconds(300),
            at: now
        )
    }

    package func isInForce(_ label: String) async throws -> Bool {
        try await grant(Sample.grantID("\(label)")) != nil
    }
}
