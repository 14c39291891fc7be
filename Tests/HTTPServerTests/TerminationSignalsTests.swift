// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import HTTPServer
import Testing

@Suite("Termination signals", .serialized)
struct TerminationSignalsTests {
    /// In a process of its own: in this one, another test may wait for the same signals.
    ///
    /// An alarm ends it, since whoever waits for it blocks a thread of the other tests.
    @Test func `waits for a signal and keeps one that came before`() async {
        await #expect(processExitsWith: .success) {
            _ = alarm(60)
            #expect(TerminationSignals.install())
            kill(getpid(), SIGTERM)
            #expect(await TerminationSignals.next() == .terminate)
            async let next = TerminationSignals.next()
            kill(getpid(), SIGINT)
            #expect(await next == .interrupt)
        }
    }

    @Test func `a hangup runs its function each time, the last one that was given, and ends nothing`() async {
        await #expect(processExitsWith: .success) {
            _ = alarm(60)
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            #expect(HangupSignal.handle { continuation.yield(1) })
            var hangups = stream.makeAsyncIterator()
            kill(getpid(), SIGHUP)
            #expect(await hangups.next() == 1)
            #expect(HangupSignal.handle { continuation.yield(2) })
            kill(getpid(), SIGHUP)
            #expect(await hangups.next() == 2)
            kill(getpid(), SIGTERM)
            #expect(await TerminationSignals.next() == .terminate)
        }
    }

    @Test func `waiting ends when the task is cancelled`() async {
        let task = Task { await TerminationSignals.next() }
        task.cancel()
        #expect(await task.value == nil)
    }
}
#endif
