// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer

/// Sends every event to several sinks.
struct AuditSinks: AuditSink {
    let all: [any AuditSink]

    func record(_ event: AuditEvent) {
        for sink in all { sink.record(event) }
    }
}
