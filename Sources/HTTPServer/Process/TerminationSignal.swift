// SPDX-License-Identifier: Apache-2.0

/// A signal that asks the process to end.
public struct TerminationSignal: Sendable, Hashable, CustomStringConvertible {
    /// The number of the signal, such as 15 for `SIGTERM`.
    public let number: Int32

    /// SIGINT: a user typed Ctrl-C.
    public static let interrupt = Self(number: 2)
    /// SIGTERM: a supervisor such as systemd stops the service.
    public static let terminate = Self(number: 15)

    /// The name of the signal.
    public var description: String {
        self == .interrupt ? "SIGINT" : "SIGTERM"
    }
}
