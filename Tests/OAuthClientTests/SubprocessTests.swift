// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import OAuthClient

@Suite("A command that opens the browser")
struct SubprocessTests {
    private static func run(_ words: String..., environment: [String: String] = [:]) async -> Bool {
        await Subprocess(words: words, environment: environment).run()
    }

    @Test func `ends well, badly or by a signal`() async {
        #expect(await Self.run("/bin/sh", "-c", "exit 0"))
        #expect(await Self.run("/bin/sh", "-c", "exit 3") == false)
        #expect(await Self.run("/bin/sh", "-c", "kill -9 $$") == false)
        #expect(await Self.run("/no/such/program") == false)
    }

    @Test func `gets each argument as it is, and the given environment alone`() async {
        let url = "https://auth.example/?a=$(touch x)&b='\";|*"
        let script = #"test "$1" = "$EXPECTED" && test "$#" = 1 && test -z "$HOME""#
        #expect(await Self.run("/bin/sh", "-c", script, "sh", url, environment: ["EXPECTED": url]))
    }

    @Test func `has no input, and nowhere to write to`() async {
        let streams = "/proc/self/fd"
        let script = "for n in 0 1 2; do test \"$(readlink \(streams)/$n)\" = /dev/null || test $n = 1 || exit 1; done"
        #expect(await Self.run("/bin/sh", "-c", script, environment: ["PATH": "/usr/bin:/bin"]))
        #expect(
            await Self.run("/bin/sh", "-c", "test -z \"$(cat)\" && echo text", environment: ["PATH": "/usr/bin:/bin"])
        )
    }

    @Test func `inherits no descriptor`() async {
        let inheritable = fcntl(0, F_DUPFD, 100)
        defer { close(inheritable) }
        #expect(inheritable >= 100)
        #expect(await Self.run("/bin/sh", "-c", "test ! -e /proc/$$/fd/\(inheritable)"))
    }

    @Test func `is started also while very many descriptors are open`() async {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let descriptors = (0..<3000).map { _ in fcntl(0, F_DUPFD_CLOEXEC, 3) }
        defer { for descriptor in descriptors { close(descriptor) } }
        for _ in 0..<20 { #expect(await Self.run("/bin/sh", "-c", "exit 0")) }
    }

    @Test(.timeLimit(.minutes(5))) func `is left running when the task is cancelled`() async throws {
        let marker = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: marker) }
        let script = #"while ! test -e "$0"; do sleep 0.1; done"#
        let task = Task {
            await Self.run("/bin/sh", "-c", script, marker.path, environment: ["PATH": "/usr/bin:/bin"])
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        // The command ends only after this.
        #expect(await task.value)
        try Data().write(to: marker)
        try await Task.sleep(for: .milliseconds(300))
    }
}
#endif
