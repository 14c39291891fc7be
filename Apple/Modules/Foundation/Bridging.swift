// SPDX-License-Identifier: Apache-2.0

/// Which value of Swift stands for which class, for type-checking only.

extension _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) { fatalError() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool {
        fatalError()
    }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { fatalError() }
}

extension Data: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSData }
extension URL: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSURL }
extension URLRequest: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSURLRequest }
extension String: @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSString }
extension Dictionary: @retroactive _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDictionary }
extension NSError: Error, @unchecked Sendable {}
