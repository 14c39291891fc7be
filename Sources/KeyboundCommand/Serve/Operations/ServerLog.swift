// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import OAuthSystem
import StrictJSON

/// The log of a running server, on standard error.
final class ServerLog: Sendable {
    private let format: LogFormat
    private let level: LogLevel
    private let clock: any WallClock
    let writer: LineWriter

    init(
        format: LogFormat,
        level: LogLevel,
        clock: any WallClock = SystemWallClock(),
        writer: LineWriter = LineWriter { StandardStream.error.write($0) }
    ) {
        self.format = format
        self.level = level
        self.clock = clock
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
        case .text: writer.write(Array("\(TimeText.text(of: clock.now())) \(request.text)".utf8))
        case .json: write(.info, "request", request.json)
        }
    }

    /// Logs a request that the listener rejected itself; `reason` is one of its fixed messages.
    func refused(_ request: RejectedRequest) {
        guard level >= .info else { return }
        let address = request.peerAddress ?? "-"
        switch format {
        case .text:
            let line = "\(TimeText.text(of: clock.now())) refused \(request.status) \(address) \(request.reason)"
            writer.write(Array(line.utf8))
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
        case .text: writer.write(Array("\(TimeText.text(of: clock.now())) \(SafeText.of(text()))".utf8))
        case .json: write(level, message, members())
        }
    }

    private func write(_ level: LogLevel, _ message: String) {
        guard level <= self.level else { return }
        switch format {
        case .text: writer.write(Array(((level == .warning ? "warning: " : "") + SafeText.of(message)).utf8))
        case .json: write(level, message, [:])
        }
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
