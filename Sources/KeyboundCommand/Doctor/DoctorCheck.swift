// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// One check of `keybound doctor`.
///
/// A check only reads: it creates, repairs and migrates nothing.
struct DoctorCheck: Sendable {
    /// What a check is about.
    enum Group: String, Sendable {
        case program
        case system
        case clock
        case configuration
        case files
        case database
        case keys
        case network
        case accounts
    }

    let group: Group
    /// Its name, for scripts: one word.
    let name: String
    /// What was found; empty if the check means nothing here, for instance without a configuration.
    let run: @Sendable (DoctorContext) async throws -> [DoctorFinding]

    init(
        _ group: Group,
        _ name: String,
        run: @escaping @Sendable (DoctorContext) async throws -> [DoctorFinding]
    ) {
        self.group = group
        self.name = name
        self.run = run
    }

    /// Runs the check; what it throws becomes a finding.
    func findings(_ context: DoctorContext) async -> [DoctorFinding] {
        do {
            return try await run(context)
        } catch {
            return [DoctorFinding(error)]
        }
    }

    /// Every check, in the order of the output.
    static let all: [DoctorCheck] = [
        .version, .libraries, .descriptors, .user, .space, .synchronization, .issuerClock, .settings,
        .configurationFile, .credentials, .databaseAccess, .apartness, .schema, .integrity, .backup, .signingKeys,
        .rotation, .listening, .issuer, .certificate, .state, .sessions, .browser,
    ]
}
#endif
