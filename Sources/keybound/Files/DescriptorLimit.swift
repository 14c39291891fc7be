// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// How many file descriptors the process may have: each connection is one.
enum DescriptorLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Raises the limit that shells set low, for programs that use `select`, to the one that the system allows.
    static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // What the system does not allow stays as it was.
        _ = unsafe setrlimit(resource, &limit)
    }
}
#endif
