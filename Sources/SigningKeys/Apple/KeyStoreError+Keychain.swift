// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation
import LocalAuthentication
import Security

extension KeyStoreError {
    init(keychain status: OSStatus, _ operation: String) {
        let reason =
            switch Self.code(of: status) {
            case .deviceLocked: "the device is locked: try again when it is unlocked"
            case .missingEntitlement: "the app is not signed for the Keychain, or not for this access group"
            case .userCanceled: "the person did not allow it"
            case .keyLost: "the item can no longer be decrypted: sign in again"
            default: "status \(status)"
            }
        self.init(Self.code(of: status) ?? .storageFailed, "the Keychain did not \(operation): \(reason)")
    }

    /// The error if the Secure Enclave cannot use the key at the moment; `nil` for any other error.
    init?(passing error: any Error) {
        guard let code = Self.passingCode(of: error) else { return nil }
        let reason =
            code == .deviceLocked
            ? "the device is locked, or may not ask the person now: try again later"
            : "the person did not allow the use of the key"
        self.init(code, reason, underlying: error)
    }

    private static func passingCode(of error: any Error) -> Code? {
        if let error = error as? LAError {
            switch error.code {
            case .userCancel, .appCancel, .systemCancel, .authenticationFailed: return .userCanceled
            case .notInteractive: return .deviceLocked
            default: return nil
            }
        }
        // CryptoKit also throws errors of Security, which have no type in Swift.
        guard let error = (error as AnyObject) as? NSError, error.domain == NSOSStatusErrorDomain,
            let status = OSStatus(exactly: error.code)
        else { return nil }
        let code = code(of: status)
        return code == .deviceLocked || code == .userCanceled ? code : nil
    }

    private static func code(of status: OSStatus) -> Code? {
        switch status {
        case errSecInteractionNotAllowed: .deviceLocked
        case errSecMissingEntitlement: .missingEntitlement
        case errSecUserCanceled: .userCanceled
        case errSecDecode: .keyLost
        default: nil
        }
    }
}
#endif
