// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

@testable import SigningKeys

@Suite("Tokens that cannot be read while another one is looked for", .enabled(if: TokenStage.isPrepared))
struct PKCS11SlotTests {
    private func error(_ answer: UInt) async throws -> KeyStoreError? {
        let module = try FaultyModule()
        try module.fail("C_GetTokenInfo", answer, times: 1_000_000)
        let store = try TokenStage.store("nobody", module: module.path)
        let alias = try KeyAlias("key")
        return await #expect(throws: KeyStoreError.self) { _ = try await store.load(alias) }
    }

    @Test func `a removed token is not the selected one`() async throws {
        // CKR_TOKEN_NOT_PRESENT
        let error = try await error(0xE0)
        #expect(error?.code == .deviceUnavailable && error?.forbidsFallback == false)
    }

    @Test func `a token that cannot be read may be the selected one, so no other store makes the key`() async throws {
        // CKR_TOKEN_NOT_RECOGNIZED
        let unknown = try await error(0xE1)
        #expect(unknown?.code == .deviceUnavailable && unknown?.forbidsFallback == true)
        // CKR_DEVICE_ERROR
        let failed = try await error(0x30)
        #expect(failed?.code == .deviceFailed)
    }
}
#endif
