// SPDX-License-Identifier: Apache-2.0

import CPKCS11
import Glibc

/// A module called as C does, with everything prepared.
///
/// Sendable although it holds addresses: the rows call each from one thread at a time.
@safe
final class TokenReference: @unchecked Sendable {
    private let functions: UnsafeMutablePointer<CK_FUNCTION_LIST>
    private let session: CK_SESSION_HANDLE
    private let key: CK_OBJECT_HANDLE

    init(_ module: String, label: String, pin: String, key name: String) throws {
        guard let library = unsafe dlopen(module, RTLD_NOW), let symbol = unsafe dlsym(library, "C_GetFunctionList")
        else {
            throw BenchmarkError("\(module) cannot be loaded")
        }
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        let status = unsafe unsafeBitCast(symbol, to: CK_C_GetFunctionList.self)(&list)
        guard status == CKR_OK, let list = unsafe list else { throw BenchmarkError("\(module) has no functions") }
        unsafe functions = list
        session = try unsafe Self.openSession(list, label, pin)
        key = try unsafe Self.findKey(list, session, name)
    }

    /// Signs this many digests.
    func sign(count: Int) throws {
        var digest = [UInt8](repeating: 7, count: 32)
        var signature = [UInt8](repeating: 0, count: 64)
        for _ in 0..<count {
            var mechanism = unsafe CK_MECHANISM(mechanism: CKM_ECDSA, pParameter: nil, ulParameterLen: 0)
            var length: CK_ULONG = 64
            guard unsafe functions.pointee.C_SignInit(session, &mechanism, key) == CKR_OK,
                unsafe functions.pointee.C_Sign(session, &digest, 32, &signature, &length) == CKR_OK
            else { throw BenchmarkError("the module did not sign") }
        }
    }

    @unsafe private static func openSession(
        _ list: UnsafeMutablePointer<CK_FUNCTION_LIST>,
        _ label: String,
        _ pin: String
    ) throws -> CK_SESSION_HANDLE {
        var slots = [CK_SLOT_ID](repeating: 0, count: 16)
        var count: CK_ULONG = 16
        guard unsafe list.pointee.C_GetSlotList(1, &slots, &count) == CKR_OK else { throw BenchmarkError("no slots") }
        for slot in slots.prefix(Int(count)) {
            var info = CK_TOKEN_INFO()
            var session: CK_SESSION_HANDLE = 0
            guard unsafe list.pointee.C_GetTokenInfo(slot, &info) == CKR_OK,
                unsafe withUnsafeBytes(of: info.label, { unsafe $0.starts(with: Array((label + " ").utf8)) }),
                unsafe list.pointee.C_OpenSession(slot, CKF_SERIAL_SESSION, nil, nil, &session) == CKR_OK
            else { continue }
            var pin = Array(pin.utf8)
            let status = unsafe list.pointee.C_Login(session, CKU_USER, &pin, CK_ULONG(pin.count))
            guard status == CKR_OK || status == CKR_USER_ALREADY_LOGGED_IN else { throw BenchmarkError("no login") }
            return session
        }
        throw BenchmarkError("no token \(label)")
    }

    @unsafe private static func findKey(
        _ list: UnsafeMutablePointer<CK_FUNCTION_LIST>,
        _ session: CK_SESSION_HANDLE,
        _ name: String
    ) throws -> CK_OBJECT_HANDLE {
        var (kind, label) = (CKO_PRIVATE_KEY, Array(name.utf8))
        let status = unsafe withUnsafeMutableBytes(of: &kind) { kind in
            unsafe label.withUnsafeMutableBytes { label in
                var template = unsafe [
                    CK_ATTRIBUTE(type: CKA_CLASS, pValue: kind.baseAddress, ulValueLen: CK_ULONG(kind.count)),
                    CK_ATTRIBUTE(type: CKA_LABEL, pValue: label.baseAddress, ulValueLen: CK_ULONG(label.count)),
                ]
                return unsafe list.pointee.C_FindObjectsInit(session, &template, 2)
            }
        }
        var (key, count): (CK_OBJECT_HANDLE, CK_ULONG) = (0, 0)
        guard status == CKR_OK, unsafe list.pointee.C_FindObjects(session, &key, 1, &count) == CKR_OK, count == 1,
            unsafe list.pointee.C_FindObjectsFinal(session) == CKR_OK
        else { throw BenchmarkError("no key \(name)") }
        return key
    }
}
