// SPDX-License-Identifier: Apache-2.0

/// Receives audit events.
public protocol AuditSink: Sendable {
    /// Receives an event. The server calls it while it handles a request, from any thread, so it must not block.
    ///
    /// - Parameter event: What happened.
    func record(_ event: AuditEvent)
}
