// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Glibc

/// SoftHSM changes a file by emptying and writing it, that of the token at each login: what is read by another process in
/// between is not true.
extension PKCS11Module {
    private static let pause: useconds_t = 20_000
    private static let maximumPauses = 20
    /// What calls answer that could not read a file; a login that does had no PIN to compare with.
    private static let answersOfUnread: Set<CK_RV> = [CKR_GENERAL_ERROR, CKR_USER_PIN_NOT_INITIALIZED]

    /// Whether the module is SoftHSM.
    var isSoftHSM: Bool {
        guard let info = try? info() else { return false }
        return PKCS11Text.octets(info.manufacturerID) == Array("SoftHSM".utf8)
    }

    /// Calls a function that reads files, some times more while it answers as it does when they are being written.
    func whenWritten(_ call: () -> CK_RV) -> CK_RV {
        var answer = call()
        for _ in 0..<Self.maximumPauses where Self.answersOfUnread.contains(answer) && isSoftHSM {
            usleep(Self.pause)
            answer = call()
        }
        return answer
    }
}
#endif
