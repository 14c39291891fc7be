// SPDX-License-Identifier: Apache-2.0

/// Declarations of Dispatch for type-checking only.

public import ObjectiveC

public struct DispatchQoS: Equatable, Sendable {
    public enum QoSClass: Sendable {
        case background
        case utility
        case `default`
        case userInitiated
        case userInteractive
        case unspecified
    }
    public static let unspecified = DispatchQoS()
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
}

open class DispatchGroup: NSObject {}

open class DispatchQueue: NSObject, @unchecked Sendable {
    public convenience init(label: String) { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public func async(
        group: DispatchGroup? = nil,
        qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) { fatalError() }
}

open class DispatchSemaphore: NSObject, @unchecked Sendable {
    public convenience init(value: Int) { fatalError() }
    public func wait() { fatalError() }
    @discardableResult public func signal() -> Int { fatalError() }
}
