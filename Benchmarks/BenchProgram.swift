// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Another program, with its own environment: it inherits no preloaded library.
///
/// It does not use Foundation, whose `Process` starts nothing under valgrind.
struct BenchProgram {
    private let process: pid_t

    init(_ path: String, _ words: [String], _ environment: [String] = []) throws {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe arguments.indices { unsafe free(arguments[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // Its output is not part of the table, and a program that outlives this one must not keep a pipe open.
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, path, &actions, nil, &arguments, &variables) == 0 else {
            throw BenchmarkError.missing("no \(path): scripts/bootstrap test installs it")
        }
        self.process = process
    }

    /// Waits for the end; returns zero on success.
    func wait() -> Int32 {
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
        return status
    }

    /// Not with SIGTERM: a program started from a libdispatch thread has all signals blocked.
    func end() {
        kill(process, SIGKILL)
        _ = wait()
    }
}
