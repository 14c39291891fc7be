// SPDX-License-Identifier: Apache-2.0

/// Declarations of what the Objective-C runtime has in Swift, for type-checking only.

@_exported import ObjectiveC

extension NSObject: Equatable, Hashable {
    public static func == (left: NSObject, right: NSObject) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}
