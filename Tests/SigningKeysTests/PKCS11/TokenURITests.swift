// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

@testable import SigningKeys

@Suite("URIs of tokens")
struct TokenURITests {
    @Test func `names a token, a key in it, a module and a file with the PIN`() throws {
        let uri = try PKCS11URI(
            "pkcs11:token=The%20Software%20PKCS%2311;manufacturer=Snake%20Oil;serial=0f&1;model=1.0;slot-id=327;id=%00%ff%2F;"
                + "object=my-key;type=private?pin-source=file:/etc/token%5Fpin&module-path=/usr/lib/softhsm/libsofthsm2.so"
        )
        #expect(uri.token.label == "The Software PKCS#11")
        #expect(uri.token.manufacturer == "Snake Oil")
        #expect(uri.token.serial == "0f&1")
        #expect(uri.token.model == "1.0")
        #expect(uri.token.slot == 327)
        #expect(uri.id == [0, 0xFF, 0x2F])
        #expect(uri.object == "my-key")
        #expect(uri.pinFile == "/etc/token_pin")
        #expect(uri.modulePath == "/usr/lib/softhsm/libsofthsm2.so")
    }

    @Test func `everything may be left out`() throws {
        let uri = try PKCS11URI("PKCS11:")
        #expect(uri.token == PKCS11TokenSelection())
        #expect(uri.object == nil)
        #expect(throws: KeyStoreError.self) { try PKCS11KeyStore(uri) }
        #expect(try PKCS11URI("pkcs11:?module-path=/a.so").modulePath == "/a.so")
        for text in ["file:/p", "file:///p", "file://localhost/p"] {
            #expect(try PKCS11URI("pkcs11:?pin-source=" + text).pinFile == "/p")
        }
    }

    @Test(arguments: [
        "", "pkcs11", "pkcs12:token=a", " pkcs11:", "pkcs11:token", "pkcs11:=a", "pkcs11:token=a;", "pkcs11:;token=a",
        "pkcs11:token=a;token=a", "pkcs11:token=a;token=b", "pkcs11:token=", "pkcs11:token=a b", "pkcs11:token=a%2",
        "pkcs11:token=a%zz", "pkcs11:token=%ff", "pkcs11:token=a%00", "pkcs11:token=a%0A", "pkcs11:token=ä",
        "pkcs11:token=123456789012345678901234567890123", "pkcs11:serial=12345678901234567", "pkcs11:unknown=a",
        "pkcs11:x-vendor=a", "pkcs11:library-version=3", "pkcs11:Token=a", "pkcs11:type=public", "pkcs11:type=cert",
        "pkcs11:slot-id=-1", "pkcs11:slot-id=+1", "pkcs11:slot-id=0x1", "pkcs11:slot-id=99999999999999999999",
        "pkcs11:id=",
        "pkcs11:module-path=/a", "pkcs11:?token=a", "pkcs11:?module-path=a.so", "pkcs11:?module-name=softhsm2",
        "pkcs11:?pin-value=1234", "pkcs11:?pin-source=/etc/pin", "pkcs11:?pin-source=%7Ccat", "pkcs11:?pin-source=|cat",
        "pkcs11:?pin-source=file:pin", "pkcs11:?pin-source=file://host/pin", "pkcs11:?pin-source=file:////pin",
        "pkcs11:?module-path=/a&module-path=/a", "pkcs11:?module-path=/a&", "pkcs11:?a=1?b=2",
        "pkcs11:token=a?module-path=/a;b=c#",
        "pkcs11:token=" + String(repeating: "a", count: 4096),
    ])
    func `refuses`(text: String) {
        #expect { try PKCS11URI(text) } throws: { ($0 as? KeyStoreError)?.code == .invalidURI }
    }

    @Test func `a PIN in a URI is rejected with a reason, and not shown`() {
        #expect { try PKCS11URI("pkcs11:token=a?pin-value=987654") } throws: { error in
            let text = "\(error)"
            return text.contains("pin-source") && !text.contains("987654")
        }
    }
}
#endif
