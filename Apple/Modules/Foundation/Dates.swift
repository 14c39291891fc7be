// SPDX-License-Identifier: Apache-2.0

public typealias TimeInterval = Double

public struct Date: Sendable {
    public static var now: Date { fatalError() }
    public static func + (date: Date, interval: TimeInterval) -> Date { fatalError() }
}
