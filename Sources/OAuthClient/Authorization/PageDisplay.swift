// SPDX-License-Identifier: Apache-2.0

/// How the pages of the server should look (`display`, OpenID Connect Core section 3.1.2.1); servers may ignore it.
public struct PageDisplay: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value on the wire, case-sensitive.
    public let rawValue: String

    /// Makes a display that has no constant here.
    ///
    /// - Parameter rawValue: Visible ASCII without spaces.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A full page.
    public static let page = Self(rawValue: "page")
    /// A popup window.
    public static let popup = Self(rawValue: "popup")
    /// A page for a touch interface.
    public static let touch = Self(rawValue: "touch")
    /// A page for a feature phone.
    public static let wap = Self(rawValue: "wap")

    /// The value on the wire.
    public var description: String { rawValue }
}
