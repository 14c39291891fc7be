// SPDX-License-Identifier: Apache-2.0

import Foundation

public struct LAError: Error, CustomNSError {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case systemCancel = -4
        case appCancel = -9
        case invalidContext = -10
        case notInteractive = -1004
    }

    public let code: Code
    public static var errorDomain: String { "com.apple.LocalAuthentication" }
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code) {
        self.code = code
    }
}
