// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// Records what happens outside requests: what an operator does, and what the server does by itself.
package struct OperatorTrail: Sendable {
    private let sink: (any AuditSink)?
    private let operatorName: String?

    /// Creates a trail.
    ///
    /// - Parameters:
    ///   - sink: Receives the events; `nil` for no audit.
    ///   - operatorName: The name of the operator; `nil` for the server itself.
    package init(_ sink: (any AuditSink)? = nil, operatorName: String? = nil) {
        (self.sink, self.operatorName) = (sink, operatorName)
    }

    /// Records an event.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - time: When it happened.
    ///   - clientID: The client, if it is about one.
    ///   - subject: `sub` of the user, if it is about one.
    ///   - grantID: The grant, if it is about one.
    ///   - detail: More information; never a secret.
    package func record(
        _ kind: AuditEvent.Kind,
        at time: Timestamp,
        clientID: String? = nil,
        subject: String? = nil,
        grantID: String? = nil,
        detail: String? = nil
    ) {
        let details = [operatorName, detail].compactMap(\.self)
        sink?.record(
            AuditEvent(
                kind,
                at: time,
                trace: nil,
                clientID: clientID,
                subject: subject,
                grantID: grantID,
                detail: details.isEmpty ? nil : details.joined(separator: ": ")
            )
        )
    }
}
