// SPDX-License-Identifier: Apache-2.0

/// The trace that a request belongs to: `traceparent`, by which the log lines of several programs about it are found.
///
/// Only its grammar is checked. Whoever sends a request can write the field, so it identifies nothing but lines in logs.
///
/// ## Specification
///
/// [W3C Trace Context, section 3.2](https://www.w3.org/TR/trace-context/#traceparent-header)
public struct TraceContext: Sendable, Hashable {
    /// The name of the field.
    public static let field = "traceparent"

    /// The identifier of the trace: 32 small hexadecimal digits, not all of them zero.
    public let traceID: String
    /// The field as it was received: at most 55 bytes of version 00, at most 128 of a later version.
    public let value: String

    /// Reads the field of a request.
    ///
    /// - Parameter fields: The header fields; `nil` unless `traceparent` is there once and valid.
    public init?(_ fields: HTTPFields) {
        let values = fields.values(for: Self.field)
        guard values.count == 1 else { return nil }
        self.init(parsing: values[0])
    }

    /// Reads the value of the field.
    ///
    /// - Parameter text: Version, trace, parent and flags, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`;
    ///   `nil` if it is not valid.
    public init?(parsing text: String) {
        let bytes = Array(text.utf8.prefix(129))
        guard (55...128).contains(bytes.count) else { return nil }
        let hyphen = UInt8(ascii: "-")
        let parts = [0..<2, 3..<35, 36..<52, 53..<55]
        guard parts.allSatisfy({ bytes[$0].allSatisfy(Self.isSmallHex) }),
            [2, 35, 52].allSatisfy({ bytes[$0] == hyphen })
        else { return nil }
        // Section 3.2.2.1: ff is no version. Section 3.2.4: later versions may have more behind a further hyphen.
        guard !bytes[0..<2].allSatisfy({ $0 == UInt8(ascii: "f") }) else { return nil }
        let isFirstVersion = bytes[0..<2].allSatisfy { $0 == UInt8(ascii: "0") }
        guard bytes.count == 55 || (!isFirstVersion && bytes[55] == hyphen) else { return nil }
        guard bytes[55...].allSatisfy({ ASCII.isUnreserved($0) }) else { return nil }
        // Sections 3.2.2.3 and 3.2.2.4: all zeros are no identifier.
        guard [3..<35, 36..<52].allSatisfy({ bytes[$0].contains { $0 != UInt8(ascii: "0") } }) else { return nil }
        traceID = String(decoding: bytes[3..<35], as: UTF8.self)
        value = text
    }

    private static func isSmallHex(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    // Without the macro, which is not available where Apple's compiler is only emulated.
    private static let ofTask = TaskLocal<TraceContext?>(wrappedValue: nil)

    /// The trace of the request that the current task handles, which requests of its own pass on.
    public static var current: TraceContext? { ofTask.get() }

    /// Handles a request as part of a trace: introspection of its token then belongs to the same trace.
    ///
    /// - Parameters:
    ///   - context: The trace, if there is one.
    ///   - operation: Handles the request.
    /// - Returns: What `operation` returns.
    public static func withCurrent<Result: Sendable>(
        _ context: TraceContext?,
        _ operation: () async -> Result
    ) async -> Result {
        await ofTask.withValue(context, operation: operation)
    }
}
