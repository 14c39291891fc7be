// SPDX-License-Identifier: Apache-2.0

public import AuthorizationServer
public import JOSE
public import OAuthClient
import OAuthSystem
import StrictJSON
import Synchronization

/// An attester in the process of a test, which attests every key: only for tests.
///
/// <!-- given: import OAuthClient -->
/// ```swift
/// let clock = TestClock()
/// let attester = try SoftwareAttester(clock: clock)
/// let server = try await FakeAuthorizationServer(clock: clock) { $0.attesters = [attester.trusted(for: ["my-app"])] }
/// var configuration = OAuth2ClientConfiguration()
/// configuration.clientAuthentication = .attested(by: attester)
/// let client = try await server.makeClient(clientID: "my-app", configuration: configuration)
/// ```
public final class SoftwareAttester: ClientAttester {
    private static let keyID = "software-attester"

    private let key: SoftwareSigningKey
    private let clock: TestClock
    private let lifetime: Duration
    private let count = Mutex(0)

    /// Makes an attester.
    ///
    /// - Parameters:
    ///   - clock: The time, which is also that of the server.
    ///   - entropy: The source of its key.
    ///   - lifetime: How long attestations are valid, in whole seconds.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration`` if the platform makes no key.
    public init(
        clock: TestClock,
        entropy: DeterministicEntropy = DeterministicEntropy(),
        lifetime: Duration = .seconds(86_400)
    ) throws(OAuthTestingError) {
        do {
            key = try DeterministicKeyStore.key(.es256, of: entropy.separate("attester"))
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the platform did not make a key", underlying: error)
        }
        (self.clock, self.lifetime) = (clock, lifetime)
    }

    /// How many attestations it has issued.
    public var issuedCount: Int { count.withLock { $0 } }

    /// What a server is told about it, for ``/AuthorizationServer/ServerConfiguration/attesters``.
    ///
    /// - Parameters:
    ///   - clients: The `client_id` of each client that it may speak for.
    ///   - maximumAge: How long after its issue the server accepts an attestation; a minute to seven days.
    /// - Returns: Its name, public key, and these rules.
    public func trusted(for clients: [String], maximumAge: Duration = .seconds(86_400)) -> TrustedAttester {
        TrustedAttester(
            name: Self.keyID,
            keys: JWKSet([key.publicKey.named(Self.keyID, algorithm: key.algorithm)]),
            clients: clients,
            maximumAge: maximumAge
        )
    }

    /// Attests a key without looking at it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - clientID: `client_id`.
    /// - Returns: The attestation.
    /// - Throws: ``/JOSE/JOSEError`` if the platform does not sign.
    public func attestation(of key: any SigningKey, for clientID: String) async throws -> String {
        let now = clock.now()
        let claims: JSONObject = [
            "sub": .string(clientID), "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber((now + lifetime).secondsSince1970)),
            "cnf": ["jwk": .object(key.publicKey.json)],
        ]
        count.withLock { $0 += 1 }
        return try await CompactJWS.sign(
            header: ["typ": "oauth-client-attestation+jwt", "kid": .string(Self.keyID)],
            payload: JSONValue.object(claims).encoded(),
            with: self.key
        )
    }
}
