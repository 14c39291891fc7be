// SPDX-License-Identifier: Apache-2.0

/// Who keeps audit events.
public protocol AuditSink: Sendable {
    /// Takes an event. It is called while a request is answered, from any thread, so it must not block.
    ///
    /// - Parameter event: What happened.
    func record(_ event: AuditEvent)
}
