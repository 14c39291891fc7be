// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The limit of open file descriptors: each connection needs one.
enum DescriptorLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Raises the soft limit, which shells set low for programs that use `select`, to the hard limit.
    static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // If the system does not allow it, the limit stays as it was.
        _ = unsafe setrlimit(resource, &limit)
    }
}
#endif
