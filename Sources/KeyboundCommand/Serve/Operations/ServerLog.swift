// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import OAuthSystem
import StrictJSON

/// The log of a running server, on standard error.
final class ServerLog: Sendable {
    private let format: LogFormat
    private let level: LogLevel
    private let clock: any WallClock
    /// Whether a line of text begins with the time; JSON always has it.
    private let addsTimes: Bool
    let writer: LineWriter

    init(
        format: LogFormat,
        level: LogLevel,
        clock: any WallClock = SystemWallClock(),
        addsTimes: Bool = !StandardStream.error.isTakenByJournal(),
        writer: LineWriter = LineWriter { StandardStream.error.write($0) }
    ) {
        self.format = format
        self.level = level
        self.clock = clock
        self.addsTimes = addsTimes
        self.writer = writer
    }

    convenience init(_ settings: ServerSettings) throws {
        self.init(
            format: try settings.word(.logFormat, LogFormat.text),
            level: try settings.word(.logLevel, LogLevel.notice)
        )
    }

    /// Logs normal progress.
    func notice(_ message: String) {
        write(.notice, message)
    }

    /// Logs something that the operator should act on.
    func warn(_ message: String) {
        write(.warning, message)
    }

    func request(_ request: CompletedRequest) {
        guard level >= .info else { return }
        switch format {
        case .text: write(line: request.text)
        case .json: write(.info, "request", request.json)
        }
    }

    /// Logs a request that the listener rejected itself; `reason` is one of its fixed messages.
    func refused(_ request: RejectedRequest) {
        guard level >= .info else { return }
        let address = request.peerAddress ?? "-"
        switch format {
        case .text:
            write(line: "refused \(request.status) \(address) \(request.reason)")
        case .json:
            var members: JSONObject = [
                "status": .number(JSONNumber(Int64(request.status))), "reason": .string(request.reason),
            ]
            members["address"] = request.peerAddress.map { .string($0) }
            write(.info, "refused by the listener", members)
        }
    }

    /// Logs an event that has a line of its own in each format.
    func event(
        _ level: LogLevel,
        _ message: String,
        text: @autoclosure () -> String,
        _ members: @autoclosure () -> JSONObject
    ) {
        guard level <= self.level else { return }
        switch format {
        case .text: write(line: SafeText.of(text()))
        case .json: write(level, message, members())
        }
    }

    private func write(_ level: LogLevel, _ message: String) {
        guard level <= self.level else { return }
        switch format {
        case .text: write(line: (level == .warning ? "warning: " : "") + SafeText.of(message))
        case .json: write(level, message, [:])
        }
    }

    private func write(line: String) {
        let time = addsTimes ? TimeText.text(of: clock.now()) + " " : ""
        writer.write(Array((time + line).utf8))
    }

    private func write(_ level: LogLevel, _ message: String, _ members: JSONObject) {
        writer.write(
            JSONLine.bytes(
                ["level": .string(level.rawValue), "message": .string(message)],
                members,
                at: clock.now()
            )
        )
    }
}
