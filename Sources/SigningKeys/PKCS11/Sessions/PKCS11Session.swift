// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

/// A session with a token, for one thread at a time; closed with its last reference.
final class PKCS11Session {
    /// The size of the handle cache; a store has few keys.
    private static let maximumRememberedKeys = 256
    /// The maximum number of keys of one alias, or in one token, that are read.
    private static let maximumObjectCount = 4096

    let module: PKCS11Module
    let slot: CK_SLOT_ID
    let handle: CK_SESSION_HANDLE
    /// The session was closed, or the token ended it.
    ///
    /// Its number may already belong to another session, which must not be closed.
    var isLost = false
    /// An operation was begun and not ended: the session is closed after the call.
    var isUnfinished = false
    /// The handles of the keys in use, by key number.
    private var handles: [UInt64: CK_OBJECT_HANDLE] = [:]

    init(_ module: PKCS11Module, slot: CK_SLOT_ID, isWritable: Bool = false) throws(KeyStoreError) {
        var handle: CK_SESSION_HANDLE = 0
        let flags = isWritable ? CKF_SERIAL_SESSION | CKF_RW_SESSION : CKF_SERIAL_SESSION
        try module.check("C_OpenSession", unsafe module.functions.pointee.C_OpenSession(slot, flags, nil, nil, &handle))
        (self.module, self.slot, self.handle) = (module, slot, handle)
    }

    deinit {
        close()
    }

    /// Closes the session, unless it has ended.
    func close() {
        guard !isLost, PKCS11ProcessEnd.enter() else { return }
        isLost = true
        defer { PKCS11ProcessEnd.leave() }
        _ = unsafe module.functions.pointee.C_CloseSession(handle)
    }

    /// Whether the process has logged in to the token.
    func isLoggedIn() throws(KeyStoreError) -> Bool {
        var info = CK_SESSION_INFO()
        try module.check("C_GetSessionInfo", unsafe module.functions.pointee.C_GetSessionInfo(handle, &info))
        return info.state == CKS_RO_USER_FUNCTIONS || info.state == CKS_RW_USER_FUNCTIONS
    }

    /// Sends a PIN to the token; `nil` if it is entered on the device.
    func logIn(_ user: CK_USER_TYPE, _ pin: [UInt8]?) -> CK_RV {
        guard let pin else { return unsafe module.functions.pointee.C_Login(handle, user, nil, 0) }
        // Not the mutable buffer that C asks for: Swift would copy the array for it, and that copy would never be
        // wiped.
        return unsafe pin.withUnsafeBufferPointer { pin in
            let address = unsafe UnsafeMutablePointer(mutating: pin.baseAddress)
            return unsafe module.functions.pointee.C_Login(handle, user, address, CK_ULONG(pin.count))
        }
    }

    /// The objects with these attributes.
    func objects(_ template: PKCS11Template) throws(KeyStoreError) -> [CK_OBJECT_HANDLE] {
        try unsafe template.withAttributes { attributes, count throws(KeyStoreError) in
            try module.check(
                "C_FindObjectsInit",
                unsafe module.functions.pointee.C_FindObjectsInit(handle, attributes, count)
            )
        }
        defer { _ = unsafe module.functions.pointee.C_FindObjectsFinal(handle) }
        var found: [CK_OBJECT_HANDLE] = []
        var part = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
        while true {
            var count: CK_ULONG = 0
            let status = unsafe module.functions.pointee.C_FindObjects(handle, &part, CK_ULONG(part.count), &count)
            try module.check("C_FindObjects", status)
            guard count > 0 else { return found }
            guard count <= part.count, found.count + Int(count) <= Self.maximumObjectCount else {
                throw PKCS11Module.lie("it returned more objects than requested, or an implausible number")
            }
            found += part.prefix(Int(count))
        }
    }

    /// An attribute with a maximum size in bytes; `nil` if the object does not have it, or does not reveal it.
    func attribute(
        _ type: CK_ATTRIBUTE_TYPE,
        of object: CK_OBJECT_HANDLE,
        maximumCount: Int
    ) throws(KeyStoreError) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: maximumCount)
        var count = unavailable
        let status = unsafe value.withUnsafeMutableBytes { memory in
            var attribute = unsafe CK_ATTRIBUTE(
                type: type,
                pValue: memory.baseAddress,
                ulValueLen: CK_ULONG(memory.count)
            )
            defer { unsafe count = attribute.ulValueLen }
            return unsafe module.functions.pointee.C_GetAttributeValue(handle, object, &attribute, 1)
        }
        if status == CKR_ATTRIBUTE_TYPE_INVALID || status == CKR_ATTRIBUTE_SENSITIVE { return nil }
        if status == CKR_BUFFER_TOO_SMALL { throw PKCS11Module.lie("an attribute is longer than it can be") }
        try module.check("C_GetAttributeValue", status)
        if count == unavailable { return nil }
        guard count <= maximumCount else { throw PKCS11Module.lie("an attribute is longer than its place") }
        return Array(value.prefix(Int(count)))
    }

    /// A Boolean attribute; `nil` if the object does not have it.
    func flag(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(KeyStoreError) -> Bool? {
        guard let value = try attribute(type, of: object, maximumCount: 1) else { return nil }
        guard let octet = value.first else { throw PKCS11Module.lie("a flag has no value") }
        return octet != 0
    }

    /// A numeric attribute; `nil` if the object does not have it.
    func number(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(KeyStoreError) -> CK_ULONG? {
        let size = MemoryLayout<CK_ULONG>.size
        guard let value = try attribute(type, of: object, maximumCount: size) else { return nil }
        guard value.count == size else { throw PKCS11Module.lie("a number does not have the size of numbers") }
        return unsafe value.withUnsafeBytes { unsafe $0.loadUnaligned(as: CK_ULONG.self) }
    }

    func setLabel(_ label: [UInt8], of object: CK_OBJECT_HANDLE) throws(KeyStoreError) {
        var template = PKCS11Template()
        template.add(CKA_LABEL, label)
        try unsafe template.withAttributes { attributes, count throws(KeyStoreError) in
            try module.check(
                "C_SetAttributeValue",
                unsafe module.functions.pointee.C_SetAttributeValue(handle, object, attributes, count)
            )
        }
    }

    func destroy(_ object: CK_OBJECT_HANDLE) throws(KeyStoreError) {
        try module.check("C_DestroyObject", unsafe module.functions.pointee.C_DestroyObject(handle, object))
    }

    /// The handle of a key in use, cached after the first search.
    func handle(
        of number: UInt64,
        _ find: () throws(KeyStoreError) -> CK_OBJECT_HANDLE
    ) throws(KeyStoreError) -> CK_OBJECT_HANDLE {
        if let handle = handles[number] { return handle }
        let handle = try find()
        if handles.count >= Self.maximumRememberedKeys { handles.removeAll() }
        handles[number] = handle
        return handle
    }

    func forgetHandle(of number: UInt64) {
        handles[number] = nil
    }
}

/// `CK_UNAVAILABLE_INFORMATION`, as a length.
private let unavailable = CK_ULONG.max
#endif
