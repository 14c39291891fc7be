// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem

extension PrometheusText {
    /// What the process uses, under the names that Prometheus has for it.
    ///
    /// - Parameter start: When the process began to work.
    mutating func process(since start: Timestamp) {
        single("process_resident_memory_bytes", "gauge", "Memory in use.", ProcessFacts.residentMemory())
        single("process_open_fds", "gauge", "Open file descriptors.", ProcessFacts.openDescriptors())
        single("process_cpu_seconds_total", "counter", "Processor time.", Optional(ProcessFacts.processorTime()))
        single(
            "process_start_time_seconds",
            "gauge",
            "When the process started, in seconds since 1970.",
            Optional(start.secondsSince1970)
        )
    }
}
#endif
