// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer

extension Deployment {
    /// How a server with these settings runs.
    init(_ settings: ServerSettings, _ places: ServerPaths) throws {
        self.init(
            isReachableByOthers: try !ServiceAddress(settings).isLocal,
            namesProxies: settings.isGiven(.trustedProxies),
            remembersProofsInMemory: try RunningServer.replayIsInMemory(settings, places)
        )
    }
}

extension ServerConfiguration {
    /// Rejects settings with which a server must not run.
    func requireNoErrors(in deployment: Deployment) throws {
        guard let finding = findings(in: deployment).first(where: { $0.severity == .error }) else { return }
        throw CommandFailure.usage(
            "\(finding.setting): \(finding.problem) (\(finding.section))",
            hint: finding.advice
        )
    }
}
#endif
