// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@Suite("What the command writes to standard output")
struct StandardOutputTests {
    @Test(arguments: [["pkce"], ["help"], ["version"], ["help", "--markdown"]])
    func `a device that is full is an error, and a reader that has gone is none`(_ arguments: [String]) async throws {
        let directory = try TemporaryDirectory()
        let full = try await KeyboundProcess.run(arguments, in: directory, through: #"exec "$@" >/dev/full"#)
        #expect(full.status == 3)
        #expect(full.errors == "keybound: cannot write standard output: no space left on device\n")
        let gone = try await KeyboundProcess.run(arguments, in: directory, through: #"set -o pipefail; "$@" | true"#)
        #expect([0, 141].contains(gone.status), "\(gone.status)")
        #expect(gone.errors == "")
    }
}
#endif
