// SPDX-License-Identifier: Apache-2.0

/// The severity of a log line; a log writes its own level and more severe ones.
enum LogLevel: String, CaseIterable, Comparable {
    case error
    case warning
    case notice
    /// Every request.
    case info

    static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
