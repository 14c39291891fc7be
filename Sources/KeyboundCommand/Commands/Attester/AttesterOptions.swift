// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import SigningKeys

/// What `keybound attester serve` and `issue` have in common.
enum AttesterOptions {
    static let client = Option.list("--client", "CLIENT_ID", "a client that the attester speaks for")
    static let lifetime = Option.value(
        "--lifetime",
        "DURATION",
        "how long an attestation is valid; at most 7d",
        default: "24h"
    )

    /// What signs attestations for the clients of the command.
    static func issuer(_ arguments: ParsedArguments) async throws -> AttestationIssuer {
        let clients = arguments.values(client)
        guard !clients.isEmpty, clients.allSatisfy({ !$0.isEmpty }) else {
            throw CommandFailure.usage(
                "--client is missing",
                hint: "give the client_id that keybound client add printed"
            )
        }
        guard let duration = DurationText.parse(arguments.value(lifetime) ?? "24h"), duration >= .seconds(60),
            duration <= .seconds(7 * 86_400)
        else { throw CommandFailure.usage("--lifetime is not a duration from 1m to 7d", hint: "such as 24h") }
        return AttestationIssuer(key: try await AttesterKey.open(arguments), clients: clients, lifetime: duration)
    }
}
#endif
