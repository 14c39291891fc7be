// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// Tells the service manager how the process is doing: the protocol of sd_notify(3), which is one datagram.
///
/// Without a manager, which names its socket in `NOTIFY_SOCKET`, every call does nothing.
struct ServiceManager: Sendable {
    /// What the manager is told.
    enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        /// The process works; the manager restarts it when this stays away for too long.
        case alive = "WATCHDOG=1"
    }

    private let socket: String?
    /// Half of the time after which the manager restarts a silent process; `nil` if it does not watch.
    let watchdogInterval: Duration?

    /// Reads what the manager set for this process.
    init() {
        self.init(
            socket: ProcessEnvironment.value("NOTIFY_SOCKET"),
            watchdog: ProcessEnvironment.value("WATCHDOG_USEC"),
            watchdogProcess: ProcessEnvironment.value("WATCHDOG_PID")
        )
    }

    init(socket: String?, watchdog: String?, watchdogProcess: String?) {
        self.socket = socket
        let isForUs = watchdogProcess == nil || watchdogProcess == "\(ProcessFacts.identifier())"
        let microseconds = isForUs ? watchdog.flatMap(Int64.init) ?? 0 : 0
        watchdogInterval = microseconds > 0 ? .microseconds(microseconds / 2) : nil
    }

    /// Sends a state without waiting; a failure is ignored, because the manager then ends what waits for it by itself.
    func tell(_ state: State) {
        guard let socket, let address = Self.address(socket) else { return }
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(state.rawValue.utf8)
        var target = address.name
        _ = unsafe withUnsafePointer(to: &target) { target in
            unsafe target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe message.withUnsafeBytes { bytes in
                    unsafe sendto(
                        descriptor,
                        bytes.baseAddress,
                        bytes.count,
                        CInt(MSG_DONTWAIT),
                        target,
                        address.length
                    )
                }
            }
        }
    }

    /// The address of a socket: a path, or, after `@`, a name that is not in the file system.
    private static func address(_ socket: String) -> (name: sockaddr_un, length: socklen_t)? {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(socket.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            bytes.count < MemoryLayout.size(ofValue: name.sun_path)
        else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let header = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: name.sun_path)
        return (name, socklen_t(header + bytes.count))
    }
}
#endif
