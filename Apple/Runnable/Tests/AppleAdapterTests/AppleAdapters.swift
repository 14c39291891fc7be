// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import LocalAuthentication
import Security
import SigningKeys
import Testing

/// One test at a time: there is one keychain, one enclave, one person and one browser.
@Suite(.serialized, .timeLimit(.minutes(1)))
enum AppleAdapters {
    static func resetDevice() {
        FakeKeychain.reset()
        FakeSecureEnclave.reset()
        FakePerson.reset()
    }
}

/// What a call throws, with its code.
func code(of body: () async throws -> Void) async -> KeyStoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? KeyStoreError)?.code
    }
}
