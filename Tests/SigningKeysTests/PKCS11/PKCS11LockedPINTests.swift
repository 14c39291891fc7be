// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

@testable import SigningKeys

@Suite("Tokens whose PIN was locked for a while", .enabled(if: TokenStage.isPrepared))
struct PKCS11LockedPINTests {
    private static let locked: UInt = 0xA4

    @Test func `the right PIN works again once the token is unlocked and the pause is over`() async throws {
        let module = try FaultyModule()
        let alias = try KeyAlias("key")
        func makeStore(pause: Duration) throws -> PKCS11KeyStore {
            let pin = PKCS11PIN.bytes(Array(TokenStage.pin.utf8))
            let token = PKCS11Token(
                modulePath: module.path,
                selection: PKCS11TokenSelection(label: "unlocked"),
                login: PKCS11Login(pin, mayUseLastAttempt: false, pauseWhenLocked: pause),
                lockDirectory: try #require(TokenStage.directory) + "/lock"
            )
            return PKCS11KeyStore(token, sessions: 1, timeout: .seconds(30))
        }
        // Before the pause is over, the PIN is not sent.
        let patient = try makeStore(pause: .seconds(3600))
        try module.fail("C_Login", Self.locked)
        for _ in 0..<3 {
            #expect(await failure { _ = try await patient.load(alias) } == .pinLocked)
        }
        #expect(try module.calls("C_Login") == 1)
        let store = try makeStore(pause: .zero)
        try module.fail("C_Login", Self.locked)
        #expect(await failure { _ = try await store.load(alias) } == .pinLocked)
        #expect(try await store.load(alias) == nil)
        #expect(try module.calls("C_Login") == 3)
    }
}
#endif
