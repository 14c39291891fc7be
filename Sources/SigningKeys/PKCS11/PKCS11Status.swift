// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

/// The result of a module function that failed (PKCS #11 2.40, section 5.1).
struct PKCS11Status: Error, CustomStringConvertible {
    let function: StaticString
    let value: CK_RV

    /// The process is no longer logged in, but the session is still open: a new login may work.
    var isLoggedOut: Bool { value == CKR_USER_NOT_LOGGED_IN }

    /// The session has ended, perhaps because the token is gone: a new one may work.
    var isLostSession: Bool { Self.lostSessions.contains(value) }

    /// The handle of an object is no longer valid: the object may have another one, or be gone.
    var isLostObject: Bool { value == CKR_KEY_HANDLE_INVALID || value == CKR_OBJECT_HANDLE_INVALID }

    var description: String {
        "\(function) answered \(Self.names[value] ?? "CKR_") (0x\(String(value, radix: 16)))"
    }

    /// The error for callers: a code, and the result itself.
    var error: KeyStoreError {
        let (code, reason) = meaning
        return KeyStoreError(
            code,
            "\(reason): \(self)",
            underlying: self,
            forbidsFallback: Self.unclearSessions.contains(value)
        )
    }

    /// The session ended, or the token cannot be read, but the token may still be there.
    private static let unclearSessions: Set<CK_RV> = [
        CKR_TOKEN_NOT_RECOGNIZED, CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_CRYPTOKI_NOT_INITIALIZED,
    ]

    private var meaning: (KeyStoreError.Code, String) {
        switch value {
        case CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED, CKR_DEVICE_REMOVED, CKR_SESSION_HANDLE_INVALID,
            CKR_SESSION_CLOSED, CKR_SLOT_ID_INVALID, CKR_CRYPTOKI_NOT_INITIALIZED:
            (.deviceUnavailable, "the token is not there")
        case CKR_USER_NOT_LOGGED_IN: (.deviceLocked, "no user is logged in to the token")
        case CKR_PIN_LOCKED:
            (.pinLocked, "the token's PIN is locked: its administrator must set a new one")
        case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE: (.wrongPIN, "the PIN is wrong")
        case CKR_CANCEL, CKR_FUNCTION_CANCELED, CKR_FUNCTION_REJECTED: (.userCanceled, "the use of the key was refused")
        case CKR_MECHANISM_INVALID, CKR_MECHANISM_PARAM_INVALID, CKR_CURVE_NOT_SUPPORTED, CKR_DOMAIN_PARAMS_INVALID,
            CKR_KEY_SIZE_RANGE:
            (.unsupportedAlgorithm, "the token has no such keys")
        default: (.deviceFailed, "the token failed")
        }
    }

    private static let lostSessions: Set<CK_RV> = [
        CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED, CKR_DEVICE_REMOVED, CKR_SESSION_HANDLE_INVALID,
        CKR_SESSION_CLOSED, CKR_SLOT_ID_INVALID, CKR_CRYPTOKI_NOT_INITIALIZED,
    ]

    /// The results that users encounter.
    private static let names: [CK_RV: String] = [
        CKR_HOST_MEMORY: "CKR_HOST_MEMORY", CKR_SLOT_ID_INVALID: "CKR_SLOT_ID_INVALID",
        CKR_GENERAL_ERROR: "CKR_GENERAL_ERROR", CKR_FUNCTION_FAILED: "CKR_FUNCTION_FAILED",
        CKR_ARGUMENTS_BAD: "CKR_ARGUMENTS_BAD", CKR_ATTRIBUTE_READ_ONLY: "CKR_ATTRIBUTE_READ_ONLY",
        CKR_ATTRIBUTE_VALUE_INVALID: "CKR_ATTRIBUTE_VALUE_INVALID", CKR_ACTION_PROHIBITED: "CKR_ACTION_PROHIBITED",
        CKR_DEVICE_ERROR: "CKR_DEVICE_ERROR", CKR_DEVICE_MEMORY: "CKR_DEVICE_MEMORY",
        CKR_DEVICE_REMOVED: "CKR_DEVICE_REMOVED", CKR_FUNCTION_CANCELED: "CKR_FUNCTION_CANCELED",
        CKR_FUNCTION_NOT_SUPPORTED: "CKR_FUNCTION_NOT_SUPPORTED", CKR_KEY_HANDLE_INVALID: "CKR_KEY_HANDLE_INVALID",
        CKR_KEY_SIZE_RANGE: "CKR_KEY_SIZE_RANGE",
        CKR_KEY_FUNCTION_NOT_PERMITTED: "CKR_KEY_FUNCTION_NOT_PERMITTED",
        CKR_MECHANISM_INVALID: "CKR_MECHANISM_INVALID",
        CKR_OBJECT_HANDLE_INVALID: "CKR_OBJECT_HANDLE_INVALID", CKR_PIN_INCORRECT: "CKR_PIN_INCORRECT",
        CKR_PIN_INVALID: "CKR_PIN_INVALID", CKR_PIN_LEN_RANGE: "CKR_PIN_LEN_RANGE", CKR_PIN_EXPIRED: "CKR_PIN_EXPIRED",
        CKR_PIN_LOCKED: "CKR_PIN_LOCKED", CKR_SESSION_CLOSED: "CKR_SESSION_CLOSED",
        CKR_SESSION_COUNT: "CKR_SESSION_COUNT", CKR_SESSION_HANDLE_INVALID: "CKR_SESSION_HANDLE_INVALID",
        CKR_SESSION_READ_ONLY: "CKR_SESSION_READ_ONLY", CKR_TEMPLATE_INCONSISTENT: "CKR_TEMPLATE_INCONSISTENT",
        CKR_TOKEN_NOT_PRESENT: "CKR_TOKEN_NOT_PRESENT", CKR_TOKEN_NOT_RECOGNIZED: "CKR_TOKEN_NOT_RECOGNIZED",
        CKR_TOKEN_WRITE_PROTECTED: "CKR_TOKEN_WRITE_PROTECTED", CKR_USER_NOT_LOGGED_IN: "CKR_USER_NOT_LOGGED_IN",
        CKR_USER_PIN_NOT_INITIALIZED: "CKR_USER_PIN_NOT_INITIALIZED",
        CKR_CRYPTOKI_NOT_INITIALIZED: "CKR_CRYPTOKI_NOT_INITIALIZED",
    ]
}

extension KeyStoreError {
    /// The result of the module that caused the error.
    var status: PKCS11Status? { underlying as? PKCS11Status }
}
#endif
