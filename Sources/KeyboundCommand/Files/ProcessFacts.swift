// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMachine
import Glibc
import OAuthSystem

/// The resource usage of the process.
enum ProcessFacts {
    /// The memory in use, in bytes; `nil` if unknown.
    static func residentMemory() -> Int? {
        // Pages: size, resident, shared, ...
        guard let text = try? InputFile.text("/proc/self/statm", limit: 4096) else { return nil }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? Int(numbers[1]).map { $0 * sysconf(CInt(_SC_PAGESIZE)) } : nil
    }

    /// How many file descriptors are open; `nil` if unknown.
    static func openDescriptors() -> Int? {
        // One of them is the directory that is being read.
        (try? DirectoryListing.names(in: "/proc/self/fd")).map { $0.count - 1 }
    }

    /// The processor time used, in seconds.
    static func processorTime() -> Double {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }

    /// The number of the process.
    static func identifier() -> Int32 {
        getpid()
    }

    /// Whether a file or directory belongs to the user of the process.
    static func owns(_ path: String) -> Bool {
        (try? FileAccess.status(of: path))?.st_uid == geteuid()
    }

    /// The user that the audit log records for operator commands.
    static func user() -> String {
        "uid \(getuid())"
    }
}
#endif
