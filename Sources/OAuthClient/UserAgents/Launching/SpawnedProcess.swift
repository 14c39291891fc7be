// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
#if !canImport(Darwin)
import OAuthSystem
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A process that was started with `posix_spawn`.
///
/// Its standard streams are `/dev/null`, and it inherits no other descriptor. It has its own process group, so that
/// Ctrl-C at the terminal does not end it.
package struct SpawnedProcess {
    private let processID: pid_t

    /// Starts a program; `nil` if the system cannot.
    ///
    /// Blocks until the program is loaded.
    ///
    /// - Parameters:
    ///   - words: The absolute path of the program, and its arguments.
    ///   - environment: All environment variables of the process.
    package init?(_ words: [String], environment: [String: String]) {
        guard let program = words.first else { return nil }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        let flags = POSIX_SPAWN_SETPGROUP
        #endif
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        for stream in 0...2 as ClosedRange<Int32> {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        #if !canImport(Darwin)
        for descriptor in Self.inheritableDescriptors() {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        #endif
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe arguments.indices { unsafe free(arguments[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var processID: pid_t = 0
        guard unsafe posix_spawn(&processID, program, &actions, &attributes, &arguments, &variables) == 0 else {
            return nil
        }
        self.processID = processID
    }

    /// Waits for the end of the process.
    ///
    /// Blocks; must be called only once.
    ///
    /// - Returns: The exit status; `nil` when a signal ended it.
    package func waitForEnd() -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    #if !canImport(Darwin)
    /// The open descriptors, except the standard streams, that a program started now would inherit.
    private static func inheritableDescriptors() -> [Int32] {
        (DirectoryNames.all(in: "/proc/self/fd") ?? []).compactMap { Int32($0) }.filter { descriptor in
            guard descriptor > 2 else { return false }
            let flags = fcntl(descriptor, F_GETFD)
            return flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }
    #endif
}
#endif
