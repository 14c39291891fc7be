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
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { fatalError() }
        public static let concurrent = Attributes()
    }

    public enum AutoreleaseFrequency: Sendable {
        case inherit
        case workItem
        case never
    }

    public convenience init(
        label: String,
        qos: DispatchQoS = .unspecified,
        attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit,
        target: DispatchQueue? = nil
    ) { fatalError() }
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
