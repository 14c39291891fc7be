// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

extension Services {
    /// Tells the audit sink what happened in the request that the task answers.
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

    /// Tells the audit sink which row of a table rejects a request, and returns the failure.
    func rejection(_ failure: ProtocolFailure, by row: CheckRow) -> ProtocolFailure {
        recordRejection(of: failure, by: row)
        return failure
    }

    private func recordRejection(of failure: ProtocolFailure, by row: CheckRow) {
        guard failure.status < 500 else { return }
        guard failure.status != 429 else {
            // It is recorded as a limit, where it was counted.
            RequestTrace.current?.isAskedToWait = true
            return
        }
        switch failure.code {
        case .useDPoPNonce:
            RequestTrace.current?.asksForNonce = true
            record(.nonceRequested)
        case .invalidDPoPProof: record(.proofRejected, detail: failure.proofStep ?? failure.description)
        default: record(.requestRejected, detail: row.name)
        }
    }

    /// The address that limits count by: that of the client, unless it is a proxy that does not say for whom it asks.
    var limitedAddress: IPAddress? {
        guard let address = RequestTrace.current?.clientAddress, !configuration.trustedProxies.contains(address) else {
            return nil
        }
        return address
    }
}
