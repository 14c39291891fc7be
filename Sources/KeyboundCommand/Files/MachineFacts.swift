// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMachine
import Glibc
import OAuthSystem

/// What `keybound doctor` asks the operating system.
protocol MachineFacts: Sendable {
    /// The user of the process; 0 is root.
    var user: UInt32 { get }
    /// How many files the process may open at most.
    var descriptors: Int { get }
    /// Whether something keeps the clock right; `nil` if the system does not say.
    var isClockSynchronized: Bool? { get }
    /// Bytes that a user may still write where a path is; `nil` if there is no such path.
    func freeSpace(at path: String) -> Int?
    /// Whether a path is on a file system of another machine; `nil` if there is no such path.
    func isRemote(_ path: String) -> Bool?
    /// Whether a library can be loaded.
    func canLoad(_ library: String) -> Bool
}

/// The facts of this machine.
struct ThisMachine: MachineFacts {
    var user: UInt32 { geteuid() }

    var descriptors: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_max)
    }

    var isClockSynchronized: Bool? {
        var state = timex()
        // Reads only: no field is marked to be set.
        let result = unsafe adjtimex(&state)
        return result < 0 ? nil : result != CInt(TIME_ERROR) && state.status & STA_UNSYNC == 0
    }

    func freeSpace(at path: String) -> Int? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        return Int(clamping: facts.f_bavail).multipliedReportingOverflow(by: Int(clamping: facts.f_frsize)).partialValue
    }

    func isRemote(_ path: String) -> Bool? {
        var facts = statfs()
        guard unsafe statfs(path, &facts) == 0 else { return nil }
        // NFS, SMB, CIFS and SMB 2, of statfs(2). Locks of SQLite are not reliable there.
        return [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42].contains(UInt32(truncatingIfNeeded: facts.f_type))
    }

    func canLoad(_ library: String) -> Bool {
        (try? SharedLibrary(library)) != nil
    }
}
#endif
