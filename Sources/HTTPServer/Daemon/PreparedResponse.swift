// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import HTTPMessage

/// A response in the library's memory; its creator destroys it.
@safe struct PreparedResponse {
    let pointer: OpaquePointer
    let status: CUnsignedInt

    /// Copies a response.
    ///
    /// The library writes `Content-Length`, `Transfer-Encoding` and `Date`, so these are left out. Empty fields are
    /// left out too, because the library cannot write them.
    ///
    /// - Returns: `nil` if the status is not a final one or a field cannot be written: a name that is not a token, or a
    ///   value with a control character.
    init?(_ response: HTTPResponse, closing: Bool) {
        guard (200...599).contains(response.status) else { return nil }
        let pointer = unsafe response.body.withUnsafeBytes { body in
            unsafe MHD_create_response_from_buffer(
                body.count,
                UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
        status = CUnsignedInt(response.status)
        var isWritten = true
        for field in response.fields.all where !field.value.isEmpty && !Self.isLibraryField(field.name) {
            isWritten = isWritten && add(field)
        }
        if closing { isWritten = isWritten && add(HTTPFields.Field(name: "Connection", value: "close")) }
        guard isWritten else {
            unsafe MHD_destroy_response(pointer)
            return nil
        }
    }

    private func add(_ field: HTTPFields.Field) -> Bool {
        guard FieldSyntax.isName(field.name), FieldSyntax.isValue(field.value) else { return false }
        return unsafe MHD_add_response_header(pointer, field.name, field.value) == .YES
    }

    private static let libraryFields = ["Content-Length", "Transfer-Encoding", "Date"]

    private static func isLibraryField(_ name: String) -> Bool {
        libraryFields.contains { ASCII.isSameIgnoringCase($0, name) }
    }
}

extension HTTPResponse {
    /// The response that the client gets if the handler's response breaks the rules of HTTP.
    static let unwritable = HTTPResponse(status: 500, fields: ["Cache-Control": "no-store"])
}
#endif
