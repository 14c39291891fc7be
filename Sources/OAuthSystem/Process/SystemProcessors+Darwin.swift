// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Darwin

/// The processors of the machine.
package enum SystemProcessors {
    /// The number of processors that this process may use, at least 1.
    package static var count: Int { max(1, sysconf(_SC_NPROCESSORS_ONLN)) }
}
#endif
