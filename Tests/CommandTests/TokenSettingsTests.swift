// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@Suite("keybound serve --signing-keys: settings that cannot be")
struct TokenSettingsTests {
    @Test(arguments: [
        (["--signing-keys", "somewhere"], "is neither database nor the URI of a PKCS #11 token"),
        (["--signing-keys", "pkcs11:token=a"], "names no module"),
        (["--signing-keys", "pkcs11:token=a;object=b?module-path=/m.so"], "names a key"),
        (["--signing-keys", "pkcs11:token=a?pin-value=1234"], "contains the PIN"),
        (
            [
                "--signing-keys", "pkcs11:?module-path=/m.so", "--signing-keys-pin-file", "a", "--signing-keys-pin-fd",
                "3",
            ],
            "--signing-keys-pin-file and --signing-keys-pin-fd exclude each other"
        ),
        (
            ["--signing-keys-pin-file", "pin", "--unencrypted-key-file"],
            "is for keys in a token, and they are in the database"
        ),
    ])
    func `settings that contradict each other are said, with exit code 2`(
        _ more: [String],
        _ expected: String
    ) async throws {
        let arguments = ServedIssuer.arguments(port: 1, listen: 0) + more + ["--check"]
        let result = try await KeyboundProcess.run(arguments, in: TemporaryDirectory())
        #expect(result.status == 2)
        #expect(result.errors.contains(expected), Comment(rawValue: result.errors))
        #expect(!result.errors.contains("1234"))
    }
}
#endif
