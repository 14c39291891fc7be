// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthCrypto
import Testing

@Suite("The end of a process whose threads still compute")
struct ProcessExitTests {
    @Test(.serialized, arguments: 0..<10) func `is no crash: the library frees nothing under their feet`(_: Int) async {
        await #expect(processExitsWith: .success) {
            // Whoever waits for the process blocks a thread of the other tests.
            _ = alarm(60)
            let spawner = Thread {
                while true {
                    Thread.detachNewThread {
                        for _ in 0..<3 { _ = try? P256PrivateKey() }
                    }
                    usleep(50)
                }
            }
            spawner.start()
            usleep(3_000)
            exit(0)
        }
    }
}
#endif
