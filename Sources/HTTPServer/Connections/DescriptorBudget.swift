// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// How many file descriptors of the process connections may take.
///
/// Clients must not take the last one: libdispatch ends the process when it gets none for a timer, and nothing that opens a
/// file works any more.
enum DescriptorBudget {
    /// How many stay free for everything else.
    private static let reserve = 64

    /// How many connections there may be.
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
        // The names of the directory itself and of its parent are no descriptors, nor is what reads it one that stays.
        var count = -3
        while unsafe readdir(directory) != nil { count += 1 }
        return max(0, count)
    }
}
#endif
