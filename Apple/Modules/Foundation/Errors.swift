// SPDX-License-Identifier: Apache-2.0

/// Declarations of Foundation for type-checking only: what the enumerations of errors in Objective-C become in Swift.

public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}

public protocol _BridgedNSError: Error, Hashable {}

public protocol _BridgedStoredNSError: _BridgedNSError, CustomNSError {
    associatedtype Code: _ErrorCodeProtocol
    var _nsError: NSError { get }
    init(_nsError: NSError)
}

public protocol _ErrorCodeProtocol: Equatable {
    associatedtype _ErrorType: _BridgedStoredNSError where _ErrorType.Code == Self
}

extension _BridgedStoredNSError {
    public var errorCode: Int { fatalError() }
    public var errorUserInfo: [String: Any] { fatalError() }
    public static func == (left: Self, right: Self) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}

extension _BridgedStoredNSError where Code: RawRepresentable, Code.RawValue: FixedWidthInteger {
    public var code: Code { fatalError() }
}

/// An error with texts for users.
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { fatalError() }
    public var failureReason: String? { fatalError() }
    public var recoverySuggestion: String? { fatalError() }
    public var helpAnchor: String? { fatalError() }
}
