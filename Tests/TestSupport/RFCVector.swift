// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
public import StrictJSON

/// One example value published in an RFC; see `Vectors/README.md`.
public struct RFCVector: Sendable, CustomStringConvertible {
    /// Every member.
    public let object: JSONObject

    /// The number of the RFC.
    public var rfc: Int64 { object["rfc"]?.integerValue ?? 0 }
    /// The kind of example.
    public var kind: String { object["kind"]?.stringValue ?? "" }
    /// The RFC and the section, figure or appendix.
    public var description: String { "RFC \(rfc), \(object["where"]?.stringValue ?? "")" }

    /// All example values of one kind.
    ///
    /// - Parameter kind: The kind of example.
    /// - Returns: The values, in the order of the documents; empty if the file cannot be read, so check the count.
    public static func all(_ kind: String) -> [RFCVector] {
        all.filter { $0.kind == kind }
    }

    /// All example values.
    public static let all: [RFCVector] = {
        guard let url = Bundle.module.url(forResource: "rfc", withExtension: "json"),
            let data = try? Data(contentsOf: url),
            let document = try? JSONValue(parsing: Array(data), limits: JSONLimits(maximumSize: 1 << 20))
        else { return [] }
        return document.objectValue?["vectors"]?.arrayValue?.compactMap { $0.objectValue.map(RFCVector.init) } ?? []
    }()

    /// A member that is a string.
    ///
    /// - Parameter name: The name of the member.
    /// - Returns: The string; the test fails without one.
    /// - Throws: An error if there is none.
    public func string(_ name: String) throws -> String {
        guard let value = object[name]?.stringValue else { throw Missing(member: name, vector: description) }
        return value
    }

    /// A member that is an object.
    ///
    /// - Parameter name: The name of the member.
    /// - Returns: The object.
    /// - Throws: An error if there is none.
    public func object(_ name: String) throws -> JSONObject {
        guard let value = object[name]?.objectValue else { throw Missing(member: name, vector: description) }
        return value
    }

    /// A member that is an array of bytes.
    ///
    /// - Parameter name: The name of the member.
    /// - Returns: The bytes.
    /// - Throws: An error if there is none.
    public func octets(_ name: String) throws -> [UInt8] {
        guard let values = object[name]?.arrayValue else { throw Missing(member: name, vector: description) }
        return values.compactMap { $0.integerValue.flatMap { UInt8(exactly: $0) } }
    }

    /// A vector that lacks a member that a test needs.
    public struct Missing: Error {
        let member: String
        let vector: String
    }
}
