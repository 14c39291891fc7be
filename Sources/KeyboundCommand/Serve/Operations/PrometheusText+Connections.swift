// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer

extension PrometheusText {
    /// Clients that the listener disconnected.
    ///
    /// - Parameter count: How many there were for a reason.
    mutating func cutConnections(_ count: (ConnectionCutReason) -> Int) {
        family(
            "keybound_connections_cut_total",
            "counter",
            "Connections that the listener closed because their client was late, gone, or had too many."
        ) {
            for reason in ConnectionCutReason.allCases { $0.sample(count(reason), ["reason": reason.rawValue]) }
        }
    }
}
#endif
