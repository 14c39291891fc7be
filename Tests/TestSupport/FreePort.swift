// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// Loopback ports that a test can choose before any process listens on them.
///
/// They are below the ephemeral ports that the system assigns to outgoing connections and to listeners on any port,
/// which may be taken again at any moment.
public enum FreePort {
    private static let range: ClosedRange<UInt16> = 12_000...30_000
    private static let last = Mutex(UInt16.random(in: range))

    /// An unused port, a different one for each call.
    ///
    /// - Returns: The port.
    public static func next() -> UInt16 {
        last.withLock { last in
            repeat { last = last == range.upperBound ? range.lowerBound : last + 1 } while !isFree(last)
            return last
        }
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
#endif
