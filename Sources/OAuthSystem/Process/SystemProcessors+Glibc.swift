// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The processors of the machine.
package enum SystemProcessors {
    /// The number of processors that this process may run on, at least 1: those online, or those that it is bound to.
    package static var count: Int { max(1, boundCount ?? sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private typealias AffinityFunction = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

    /// `sched_getaffinity`, which the C headers declare only with GNU extensions.
    private static var boundCount: Int? {
        guard let function = unsafe dlsym(nil, "sched_getaffinity") else { return nil }
        let readAffinity = unsafe unsafeBitCast(function, to: AffinityFunction.self)
        var set = cpu_set_t()
        guard unsafe readAffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return nil }
        return unsafe withUnsafeBytes(of: set) { unsafe $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }
}
#endif
