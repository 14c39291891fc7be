// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// Ports of the loopback address that a test can name before anybody listens on them.
///
/// They are below those that the system gives to connections that go out and to listeners that take any port: a port of
/// those may be gone the moment after it was free.
public enum FreePort {
    private static let range: ClosedRange<UInt16> = 12_000...30_000
    private static let last = Mutex(UInt16.random(in: range))

    /// A port that nobody uses, another one at each call.
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
