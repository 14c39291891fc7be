// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension Option {
    /// For commands that talk to servers.
    static let insecureLoopback = Option.flag(
        "--allow-insecure-loopback",
        "allow http for servers on 127.0.0.1 and [::1], to try things out on one machine"
    )
}

extension ParsedArguments {
    /// The time that was given; by default now.
    func time(_ option: Option) throws -> Timestamp {
        guard let text = value(option) else { return SystemWallClock().now() }
        guard let time = TimeText.parse(text) else {
            throw CommandFailure.usage(
                "\(option.name) is not a time",
                hint: "write seconds since 1970, or 2026-01-31T12:00:00Z"
            )
        }
        return time
    }

    func duration(_ option: Option) throws -> Duration? {
        guard let text = value(option) else { return nil }
        guard let duration = DurationText.parse(text) else {
            throw CommandFailure.usage("\(option.name) is not a duration", hint: "write 90s, 5m, 8h or 30d")
        }
        guard duration <= DurationText.longest else {
            throw CommandFailure.usage("\(option.name) is longer than \(DurationText.text(of: DurationText.longest))")
        }
        return duration
    }
}
