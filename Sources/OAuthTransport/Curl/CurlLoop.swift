// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import Glibc
import OAuthCore
import OAuthSystem
import Synchronization

/// The thread that runs all requests of a transport, and keeps connections open for reuse.
final class CurlLoop: Sendable {
    private enum Command: Sendable {
        case start(Int, CurlRequest, CurlResponse)
        /// There is space for paused data, or more to send.
        case goOn(Int)
        case cancel(Int)
        case stop
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isRunning = false
        /// Wakes the thread; `nil` before the thread has made it.
        var multi: CurlMulti?
        var lastNumber = 0
    }

    /// The maximum sleep of an idle thread, in milliseconds; every event wakes it.
    private static let longestSleep: Int32 = 60_000

    private let mailbox = Mutex(Mailbox())
    private let configuration: CurlTransportConfiguration
    private let library: @Sendable () throws(OAuthCoreError) -> CurlLibrary

    /// Makes a loop; its thread starts with the first request.
    ///
    /// - Parameters:
    ///   - configuration: How to connect.
    ///   - library: Loads libcurl, on the thread of the loop.
    init(
        _ configuration: CurlTransportConfiguration,
        library: @escaping @Sendable () throws(OAuthCoreError) -> CurlLibrary = CurlLibrary.load
    ) {
        self.configuration = configuration
        self.library = library
    }

    /// Sends a request.
    func start(_ request: CurlRequest) -> CurlExchange {
        let number = mailbox.withLock { mailbox in
            mailbox.lastNumber += 1
            return mailbox.lastNumber
        }
        let answer = CurlResponse { [weak self] in self?.post(.goOn(number)) }
        post(.start(number, request, answer))
        return CurlExchange(answer) { [weak self] in self?.post(.cancel(number)) }
    }

    /// Ends the thread, if there is one, after all transfers have ended.
    func stop() {
        if mailbox.withLock(\.isRunning) { post(.stop) }
    }

    private func post(_ command: Command) {
        let (mustStart, multi) = mailbox.withLock { mailbox in
            mailbox.commands.append(command)
            defer { mailbox.isRunning = true }
            return (!mailbox.isRunning, mailbox.multi)
        }
        if mustStart {
            let hasStarted = DetachedThread.start { self.run() }
            if !hasStarted { refuse(OAuthCoreError(.transportFailed, "the system has no thread for the connections")) }
        } else {
            // If there is none yet, the thread has not read its commands yet.
            multi?.wake()
        }
    }

    private func run() {
        // OpenSSL may write to closed connections.
        SIGPIPEBlock.onThisThread()
        do throws(OAuthCoreError) {
            let multi = try CurlMulti(library())
            mailbox.withLock { $0.multi = multi }
            run(multi)
        } catch {
            refuse(error)
        }
    }

    /// Ends the thread, and fails every waiting request; the next request tries again.
    private func refuse(_ error: OAuthCoreError) {
        let commands = mailbox.withLock { mailbox in
            mailbox.isRunning = false
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
        for case .start(_, _, let answer) in commands { answer.finish(error) }
    }

    private func run(_ multi: CurlMulti) {
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
