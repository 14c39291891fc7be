// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// What the machine has to compute with.
package enum SystemProcessors {
    /// How many processors the machine has in use, at least 1.
    package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
#endif
