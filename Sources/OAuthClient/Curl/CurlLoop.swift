// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import Foundation
import Glibc
import OAuthCore
import Synchronization

/// The thread that all requests of a transport go through, and that keeps its connections open for the next ones.
final class CurlLoop: Sendable {
    private enum Command: Sendable {
        case start(Int, CurlRequest, CurlAnswer)
        /// There is room for what was put off, or more to send.
        case goOn(Int)
        case cancel(Int)
        case stop
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isRunning = false
        var lastNumber = 0
    }

    /// How long the thread sleeps at most when nothing happens, in milliseconds; whatever happens wakes it.
    private static let longestSleep: Int32 = 60_000

    private let mailbox = Mutex(Mailbox())
    private let configuration: CurlTransportConfiguration
    private let multi: CurlMulti

    init(_ configuration: CurlTransportConfiguration) {
        self.configuration = configuration
        multi = CurlMulti()
    }

    /// Sends a request.
    func start(_ request: CurlRequest) -> CurlExchange {
        let number = mailbox.withLock { mailbox in
            mailbox.lastNumber += 1
            return mailbox.lastNumber
        }
        let answer = CurlAnswer { [weak self] in self?.post(.goOn(number)) }
        guard multi.isReady else {
            answer.finish(OAuthCoreError(.transportFailed, "libcurl has no memory"))
            return CurlExchange(answer) {}
        }
        post(.start(number, request, answer))
        return CurlExchange(answer) { [weak self] in self?.post(.cancel(number)) }
    }

    /// OpenSSL writes to connections that may be gone, which would end the process: here it is an error as any other.
    private static func blockPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Ends the thread, if there is one, once nothing is on its way any more.
    func stop() {
        if mailbox.withLock(\.isRunning) { post(.stop) }
    }

    private func post(_ command: Command) {
        let mustStart = mailbox.withLock { mailbox in
            mailbox.commands.append(command)
            defer { mailbox.isRunning = true }
            return !mailbox.isRunning
        }
        if mustStart {
            Thread.detachNewThread { self.run() }
        } else {
            multi.wake()
        }
    }

    private func run() {
        Self.blockPipeSignal()
        var transfers = CurlTransfers(multi)
        var isStopping = false
        while true {
            let commands = mailbox.withLock { mailbox in
                defer { mailbox.commands = [] }
                return mailbox.commands
            }
            for command in commands {
                switch command {
                case .start(let number, let request, let answer):
                    transfers.begin(number, request, answer, configuration) { [weak self] in self?.post(.goOn(number)) }
                case .goOn(let number): transfers.goOn(number)
                case .cancel(let number): transfers.cancel(number)
                case .stop: isStopping = true
                }
            }
            transfers.perform()
            if isStopping, transfers.isEmpty { return }
            multi.wait(milliseconds: Self.longestSleep)
        }
    }
}
#endif
