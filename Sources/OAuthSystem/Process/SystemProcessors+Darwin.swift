// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Darwin

/// What the machine has to compute with.
package enum SystemProcessors {
    /// How many processors this process may use, at least 1.
    package static var count: Int { max(1, sysconf(_SC_NPROCESSORS_ONLN)) }
}
#endif
