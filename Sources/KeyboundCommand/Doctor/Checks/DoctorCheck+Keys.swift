// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthSystem
import SigningKeys

extension DoctorCheck {
    /// Whether the credential, or the token, opens the keys that sign now.
    static let signingKeys = DoctorCheck(.keys, "opening") { context in
        guard let settings = context.settings else { return [] }
        if settings.text(.keyCredential) != nil, ProcessEnvironment.value("CREDENTIALS_DIRECTORY") == nil {
            return [
                .note(
                    "systemd gives the credential to the service only, so this command cannot open the keys",
                    "journalctl -u keybound says whether the service could"
                )
            ]
        }
        // Says what is wrong with a missing credential, also before there is a key.
        let place = try SigningKeyProviderSettings(settings)
        guard let stored = try await context.signingKeys(), !stored.isEmpty else { return [] }
        let algorithms = KeyEntry.algorithms(of: stored)
        let policy = try SigningKeyPolicy(settings)
        return try await OperatorCommand.withStorage(settings, mustExist: true) { storage in
            let keys = try await ServerKeys(settings, algorithms: algorithms, storage, OperatorTrail())
            var findings: [DoctorFinding] = []
            for algorithm in algorithms {
                let schedule = SigningKeySchedule(stored, of: algorithm, policy, at: context.clock.now())
                guard let active = schedule.active else { continue }
                _ = try await keys.explainingFailures { try await $0.open(active) }
                findings.append(
                    .good("the key that signs with \(algorithm) opens: \(place.description(of: active, until: nil))")
                )
            }
            return findings
        }
    }

    /// A key must be known to APIs for a while before it signs.
    static let rotation = DoctorCheck(.keys, "rotation") { context in
        guard let settings = context.settings, let stored = try await context.signingKeys() else { return [] }
        let policy = try SigningKeyPolicy(settings)
        let now = context.clock.now()
        return KeyEntry.algorithms(of: stored).compactMap { algorithm -> DoctorFinding? in
            let schedule = SigningKeySchedule(stored, of: algorithm, policy, at: now)
            guard schedule.active != nil else { return nil }
            guard schedule.vacancy != nil else { return .good("the next \(algorithm) key is made in time") }
            return .warning(
                "the next \(algorithm) key should have been made by now: no running server makes it",
                "start keybound serve; tokens stay valid"
            )
        }
    }
}
#endif
