// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import JOSE
import ServerStorage
import Synchronization

/// State that survives a restart of the test server, as a database would.
struct ServerState: Sendable {
    let configuration: ServerConfiguration
    let storage = MemoryAuthorizationStorage(replayCapacity: 100_000)
    let clock: TestClock
    let passwords: PasswordHasher
    let reports = Reports()
    let engineEntropy: DeterministicEntropy
    private let keyEntropy: DeterministicEntropy

    init(_ configuration: ServerConfiguration, clock: TestClock, entropy: DeterministicEntropy) {
        self.configuration = configuration
        self.clock = clock
        passwords = .unprotected(entropy: entropy.separate("salts"))
        engineEntropy = entropy.separate("engine")
        keyEntropy = entropy.separate("signing keys")
    }

    /// Ed25519, whose signatures repeat if the platform allows it: then access tokens and values derived from their
    /// hash repeat too.
    func signingKey(_ number: Int) throws -> SoftwareSigningKey {
        try DeterministicKeyStore.key(.edDSA, of: keyEntropy.separate("\(number)"))
    }

    func nonceSecret() -> DPoPNonceSecret {
        DPoPNonceSecret(entropy: engineEntropy)
    }

    func engine(_ key: SoftwareSigningKey, _ secret: DPoPNonceSecret) throws -> AuthorizationEngine {
        try AuthorizationEngine(
            configuration: configuration,
            storage: storage,
            signingKey: key,
            nonceSecrets: [secret],
            passwords: passwords,
            clock: clock,
            entropy: engineEntropy,
            report: reports.add
        )
    }

    /// The reports of all engines, in order.
    final class Reports: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }
}
