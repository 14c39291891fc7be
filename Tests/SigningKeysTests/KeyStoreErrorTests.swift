// SPDX-License-Identifier: Apache-2.0

import SigningKeys
import Testing

@Suite("Errors of key stores")
struct KeyStoreErrorTests {
    private struct Foreign: Error {
        let text = "anything"
    }

    @Test(arguments: [true, false])
    func `an error is dumped with all that decides, and without what is underneath`(forbidsFallback: Bool) {
        let error = KeyStoreError(
            .deviceUnavailable,
            "the TPM is busy",
            underlying: Foreign(),
            forbidsFallback: forbidsFallback
        )
        var text = ""
        dump(error, to: &text)
        for part in ["deviceUnavailable", "the TPM is busy", "forbidsFallback: \(forbidsFallback)"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(!text.contains("anything"))
    }
}
