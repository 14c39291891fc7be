// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

extension Services {
    /// Sends an event about the current request to the audit sink.
    func record(
        _ kind: AuditEvent.Kind,
        clientID: String? = nil,
        subject: String? = nil,
        grantID: String? = nil,
        detail: String? = nil
    ) {
        audit?.record(
            AuditEvent(
                kind,
                at: clock.now(),
                trace: RequestTrace.current,
                clientID: clientID,
                subject: subject,
                grantID: grantID,
                detail: detail
            )
        )
    }

    /// Records which row of a table rejects a request, and returns the failure.
    func rejection(_ failure: ProtocolFailure, by row: CheckRow) -> ProtocolFailure {
        recordRejection(of: failure, by: row)
        return failure
    }

    private func recordRejection(of failure: ProtocolFailure, by row: CheckRow) {
        guard failure.status < 500 else { return }
        guard failure.status != 429 else {
            // Recorded as a limit where it was counted.
            RequestTrace.current?.isAskedToWait = true
            return
        }
        switch failure.code {
        case .useDPoPNonce:
            RequestTrace.current?.asksForNonce = true
            record(.nonceRequested)
        case .invalidClientAttestation, .useFreshAttestation:
            record(.attestationRejected, detail: failure.problem)
        case .invalidDPoPProof: record(.proofRejected, detail: failure.proofStep ?? failure.description)
        default:
            record(.requestRejected, detail: [row.name, failure.problem].compactMap(\.self).joined(separator: ": "))
        }
    }

    /// The address that rate limits apply to: that of the client, or that of a trusted proxy whose field does not contain
    /// an address; `nil` for a trusted proxy that sends no such field.
    var limitedAddress: IPAddress? { RequestTrace.current?.limitedAddress }
}
