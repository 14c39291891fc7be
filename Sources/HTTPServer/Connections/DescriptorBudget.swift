// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// How many file descriptors of the process connections may use.
///
/// Clients must not use up the last one: libdispatch ends the process if it gets none for a timer, and no file can be
/// opened any more.
enum DescriptorBudget {
    /// How many descriptors stay free for everything else.
    private static let reserve = 64

    /// Computes the limit for connections.
    ///
    /// Only descriptors that are open now are counted, not what other listeners may take later. If all listeners
    /// shared one budget, the first would take everything, and a second one, such as that for monitoring, would get a single
    /// connection.
    ///
    /// - Parameters:
    ///   - limit: The most that are wanted.
    ///   - others: How many descriptors the listener itself is about to open.
    /// - Returns: `limit`, or as many as there are descriptors for, at least 1.
    static func connections(atMost limit: Int, beside others: Int) -> Int {
        var allowed = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &allowed) == 0 else { return limit }
        let most = Int(min(allowed.rlim_cur, rlim_t(Int32.max)))
        return max(1, min(limit, most - open() - others - reserve))
    }

    private static func open() -> Int {
        guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(directory) }
        // Does not count the entries "." and "..", nor the descriptor that reads the directory.
        var count = -3
        while unsafe readdir(directory) != nil { count += 1 }
        return max(0, count)
    }
}
#endif
