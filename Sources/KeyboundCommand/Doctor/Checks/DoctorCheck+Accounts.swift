// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem

extension DoctorCheck {
    /// Tokens and keys of signed-in accounts are there.
    static let state = DoctorCheck(.accounts, "state") { context in
        let directory = try StateDirectory.path()
        guard InputFile.exists(at: directory) else {
            return [.note("nobody signed in on this machine with this user")]
        }
        try PrivateDirectory.requirePrivate(directory)
        return [.good("\(SafeText.of(directory)) is closed to others")]
    }

    static let sessions = DoctorCheck(.accounts, "sessions") { context in
        let directory = try AccountDirectory()
        let stored = try directory.storedRecords()
        var findings = stored.failures.map { DoctorFinding($0) }
        for record in stored.records { findings.append(await DoctorCheck.session(of: record, in: directory)) }
        return findings
    }

    private static func session(of record: AccountRecord, in directory: AccountDirectory) async -> DoctorFinding {
        let name = "\(SafeText.of(record.account.issuer)) (\(SafeText.of(record.account.clientID)))"
        do {
            guard try await directory.tokenStore.tokens(of: record.account) == nil else {
                return .good("signed in at \(name)")
            }
            return .warning("the session at \(name) has ended", record.loginCommand())
        } catch {
            return DoctorFinding(error)
        }
    }

    static let browser = DoctorCheck(.accounts, "browser") { context in
        let names = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
        guard names.contains(where: { ProcessEnvironment.value($0)?.isEmpty == false }) else {
            return [
                .note(
                    "there is no display here, so no browser opens",
                    "keybound login --show-url prints the address; --device signs in with another machine"
                )
            ]
        }
        return [.good("keybound login can open a browser")]
    }
}
#endif
