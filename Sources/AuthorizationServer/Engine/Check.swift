// SPDX-License-Identifier: Apache-2.0

/// One rule of a specification, as one step of an endpoint.
///
/// A check refuses the request with a ``ProtocolFailure``, or adds what it has established. It changes nothing that is
/// stored; the one exception, ``RecordProof``, comes last.
protocol Check: Sendable {
    /// Where the rule stands.
    var section: String { get }

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure)
}

extension Sequence<any Check> {
    /// Runs the checks of a table, in its order, up to the first that refuses.
    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        for check in self {
            do {
                try await check.run(&request, services)
            } catch {
                services.recordRefusal(of: error, by: check)
                throw error
            }
        }
    }
}
