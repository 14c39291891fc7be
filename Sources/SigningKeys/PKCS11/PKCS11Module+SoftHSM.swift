// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Glibc

/// Workarounds for SoftHSM, which truncates and rewrites a token file at each login, so that another process can read
/// it incomplete.
extension PKCS11Module {
    private static let pause: useconds_t = 20_000
    private static let maximumPauses = 20
    /// The results of calls that could not read a file; a login then found no PIN to compare with.
    private static let responsesOfUnread: Set<CK_RV> = [CKR_GENERAL_ERROR, CKR_USER_PIN_NOT_INITIALIZED]

    var isSoftHSM: Bool {
        guard let info = try? info() else { return false }
        return PKCS11Text.octets(info.manufacturerID) == Array("SoftHSM".utf8)
    }

    /// Calls a function that reads files; retries while its result is one of those.
    func whenWritten(_ call: () -> CK_RV) -> CK_RV {
        var answer = call()
        for _ in 0..<Self.maximumPauses where Self.responsesOfUnread.contains(answer) && isSoftHSM {
            usleep(Self.pause)
            answer = call()
        }
        return answer
    }
}
#endif
