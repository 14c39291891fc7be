// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Glibc
import OAuthSystem
import Synchronization

/// A PKCS #11 library, loaded and initialized once per process.
///
/// It is never unloaded or finalized: other code of the process may use it.
///
/// Sendable although it holds an address: the function table does not change while the library is loaded, and the
/// library was initialized for calls from several threads.
@safe final class PKCS11Module: @unchecked Sendable {
    private static let loaded = Mutex<[String: PKCS11Module]>([:])
    /// No machine has this many slots; a module that reports more is not trusted.
    private static let maximumSlotCount: CK_ULONG = 1024

    /// The functions; the required ones exist.
    let functions: UnsafeMutablePointer<CK_FUNCTION_LIST>
    /// One login at a time: two with a wrong PIN would be two attempts.
    let loginLock = Mutex<Void>(())
    /// One search for tokens at a time: some modules update their list of slots during it.
    private let slotLock = Mutex<Void>(())

    static func at(_ path: String) throws(KeyStoreError) -> PKCS11Module {
        guard path.hasPrefix("/") else {
            throw KeyStoreError(.deviceUnavailable, "the path of a PKCS #11 module must be absolute")
        }
        guard let resolved = unsafe realpath(path, nil) else {
            throw KeyStoreError(.deviceUnavailable, "there is no PKCS #11 module \(path)")
        }
        defer { unsafe free(resolved) }
        let name = unsafe String(cString: resolved)
        return try loaded.withLock { loaded throws(KeyStoreError) in
            if let module = loaded[name] { return module }
            let module = try PKCS11Module(loading: name)
            loaded[name] = module
            return module
        }
    }

    private init(loading path: String) throws(KeyStoreError) {
        let list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        do {
            unsafe list = try Self.functions(of: SharedLibrary(path))
        } catch let error as SharedLibraryError {
            throw KeyStoreError(.deviceUnavailable, "the PKCS #11 module cannot be loaded: \(error)", underlying: error)
        } catch {
            throw KeyStoreError(.deviceUnavailable, "\(path) is no PKCS #11 module", underlying: error)
        }
        // Version 3 has all functions of version 2 at the same positions.
        guard let list = unsafe list, (2...3).contains(unsafe list.pointee.version.major), unsafe Self.isComplete(list)
        else {
            throw KeyStoreError(.deviceUnavailable, "\(path) does not have the functions of PKCS #11 version 2")
        }
        unsafe functions = list
        PKCS11ProcessEnd.watch()
        try initialize()
    }

    @unsafe private static func functions(of library: SharedLibrary) throws -> UnsafeMutablePointer<CK_FUNCTION_LIST>? {
        let getFunctions: CK_C_GetFunctionList = try unsafe library.function("C_GetFunctionList")
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        let status = unsafe getFunctions(&list)
        guard status == CKR_OK else { throw PKCS11Status(function: "C_GetFunctionList", value: status) }
        return unsafe list
    }

    /// Whether the required functions exist.
    @unsafe private static func isComplete(_ list: UnsafeMutablePointer<CK_FUNCTION_LIST>) -> Bool {
        let list = unsafe list.pointee
        return unsafe list.C_Initialize != nil && list.C_GetInfo != nil && list.C_GetSlotList != nil
            && list.C_GetSlotInfo != nil && list.C_GetTokenInfo != nil && list.C_GetMechanismInfo != nil
            && list.C_OpenSession != nil && list.C_CloseSession != nil && list.C_GetSessionInfo != nil
            && list.C_Login != nil && list.C_FindObjectsInit != nil && list.C_FindObjects != nil
            && list.C_FindObjectsFinal != nil && list.C_GetAttributeValue != nil && list.C_SetAttributeValue != nil
            && list.C_GenerateKeyPair != nil && list.C_DestroyObject != nil && list.C_SignInit != nil
            && list.C_Sign != nil
    }

    /// Initializes the module; does nothing if other code of the process has done so.
    func initialize() throws(KeyStoreError) {
        var arguments = unsafe CK_C_INITIALIZE_ARGS()
        unsafe arguments.flags = CKF_OS_LOCKING_OK
        let status = unsafe functions.pointee.C_Initialize(&arguments)
        guard status == CKR_OK || status == CKR_CRYPTOKI_ALREADY_INITIALIZED else {
            let answer = PKCS11Status(function: "C_Initialize", value: status)
            throw KeyStoreError(
                .deviceUnavailable,
                "the PKCS #11 module cannot be used: \(answer)",
                underlying: answer,
                forbidsFallback: true
            )
        }
    }

    /// The information that the module reports.
    func info() throws(KeyStoreError) -> CK_INFO {
        var info = CK_INFO()
        try check("C_GetInfo", unsafe functions.pointee.C_GetInfo(&info))
        return info
    }

    func info(ofSlot slot: CK_SLOT_ID) throws(KeyStoreError) -> CK_SLOT_INFO {
        var info = CK_SLOT_INFO()
        try check("C_GetSlotInfo", unsafe functions.pointee.C_GetSlotInfo(slot, &info))
        return info
    }

    func info(ofTokenIn slot: CK_SLOT_ID) throws(KeyStoreError) -> CK_TOKEN_INFO {
        var info = CK_TOKEN_INFO()
        try check("C_GetTokenInfo", whenWritten { unsafe functions.pointee.C_GetTokenInfo(slot, &info) })
        return info
    }

    /// The slots that have a token.
    func slots() throws(KeyStoreError) -> [CK_SLOT_ID] {
        // A token that is inserted between the two calls makes the list longer.
        for _ in 0..<3 {
            var count: CK_ULONG = 0
            try check("C_GetSlotList", unsafe functions.pointee.C_GetSlotList(CK_BBOOL(CK_TRUE), nil, &count))
            guard count > 0 else { return [] }
            guard count <= Self.maximumSlotCount else { throw Self.lie("it has \(count) slots") }
            var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
            let status = unsafe functions.pointee.C_GetSlotList(CK_BBOOL(CK_TRUE), &slots, &count)
            if status == CKR_BUFFER_TOO_SMALL { continue }
            try check("C_GetSlotList", status)
            guard count <= slots.count else { throw Self.lie("it has more slots than it said") }
            return Array(slots.prefix(Int(count)))
        }
        throw Self.lie("it changes its slots all the time")
    }

    /// The one slot with the selected token.
    func slot(of selection: PKCS11TokenSelection) throws(KeyStoreError) -> CK_SLOT_ID {
        let slots = try slotLock.withLock { _ throws(KeyStoreError) in try self.slots() }
        var found: [CK_SLOT_ID] = []
        var failure: KeyStoreError?
        for slot in slots {
            do throws(KeyStoreError) {
                if selection.matches(try info(ofTokenIn: slot), in: slot) { found.append(slot) }
            } catch {
                // A token that was just removed has no information. One that cannot be read may be the selected one.
                if error.code != .deviceUnavailable || error.forbidsFallback { failure = failure ?? error }
            }
        }
        guard let slot = found.first else {
            throw failure ?? KeyStoreError(.deviceUnavailable, "there is no token with \(selection)")
        }
        guard found.count == 1 else {
            throw KeyStoreError(
                .deviceUnavailable,
                "\(found.count) tokens match \(selection): select one by its serial number",
                forbidsFallback: true
            )
        }
        return slot
    }

    func check(_ function: StaticString, _ value: CK_RV) throws(KeyStoreError) {
        guard value == CKR_OK else { throw PKCS11Status(function: function, value: value).error }
    }

    /// The error for a module with an impossible result.
    static func lie(_ what: String) -> KeyStoreError {
        KeyStoreError(.deviceFailed, "the PKCS #11 module cannot be trusted: \(what)")
    }
}
#endif
