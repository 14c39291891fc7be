// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import StrictJSON
import Testing

@testable import OAuthClient
@testable import SigningKeys

@Suite("Every public error has a sentence for users")
struct UserFacingErrorTests {
    @Test func `sources are read with the types around a type`() {
        let source = """
            public struct Outer<Value: Sendable>: Sendable,
                Error
            {
                struct Hidden {
                    public enum Inside: Error { case one }
                }
                public final class Inner {}
            }
            extension Other.Kind {
                @MainActor public actor More: Hashable {}
            }
            """
        let found = PublicType.inSource(source)
        #expect(found.map(\.name) == ["Outer", "Outer.Hidden.Inside", "Outer.Inner", "Other.Kind.More"])
        #expect(found.first?.inherited.contains("Error") ?? false)
        #expect(found.last?.inherited == ["Hashable"])
    }

    @Test func `every public error of the modules of a client is in this test`() throws {
        let declared = try PublicType.ofClient().filter { $0.inherited.contains("Error") }.map(\.name)
        #expect(declared.count >= 11)
        #expect(try Set(declared) == Set(Self.errors().keys))
    }

    @Test(arguments: try errors().keys.sorted())
    func `it has a sentence, its own reason, what to do and its code`(_ name: String) throws {
        let error = try #require(Self.errors()[name])
        let facing = try #require(error as? any UserFacingError)
        let localized = try #require(error as? any LocalizedError)
        #expect(localized.errorDescription == facing.userMessage)
        #expect(error.localizedDescription == facing.userMessage)
        #expect(facing.userMessage.hasSuffix(".") && facing.userMessage != "Something went wrong.")
        #expect(localized.failureReason?.contains("a reason") ?? false)
        #expect(localized.recoverySuggestion == facing.recovery?.text)
        #expect(localized.recoverySuggestion?.hasSuffix(".") ?? false)
        #expect(localized.helpAnchor == Self.anchors[name])
    }

    @Test func `errors of keys are told as those of the store of keys underneath`() {
        let locked = KeyStoreError(.deviceLocked, "the device is locked")
        let gone = KeyStoreError(.keyLost, "gone")
        #expect(locked.recovery == .unlockDevice)
        #expect(gone.recovery == .signInAgain)
        #expect(gone.clientError.keyStoreError?.code == .keyLost)
        #expect(JOSEError(.signingFailed, "a reason", underlying: gone).recovery == .signInAgain)
        #expect(DPoPError(.signingFailed, "a reason", underlying: gone).recovery == .signInAgain)
        #expect(JOSEError(.signingFailed, "a reason").recovery == .unlockDevice)
    }

    @Test func `errors of transports and proofs are told as those of the client`() {
        #expect(OAuthCoreError(.transportFailed, "nothing answers").recovery == .checkConnection)
        #expect(OAuthCoreError(.cancelled, "cancelled").recovery == nil)
        #expect(OAuthCoreError(.invalidRequest, "a reason").clientError.code == .invalidArgument)
        #expect(DPoPError(.cancelled, "cancelled").recovery == nil)
        #expect(DPoPError(.invalidTargetURI, "a reason").clientError.code == .invalidArgument)
        #expect(DPoPError(.replayStoreUnavailable, "a reason").recovery == .retryLater)
        #expect(DPoPError(.replayed, "a reason").recovery == .contactSupport)
        #expect(HTTPMessageError(.malformedForm, "a reason").clientError.code == .malformedResponse)
    }

    /// One error of each type, with a reason that says "a reason".
    static func errors() throws -> [String: any Error] {
        var errors: [String: any Error] = [
            "OAuthClientError": OAuthClientError(.sessionEnded, "a reason"),
            "OAuthCoreError": OAuthCoreError(.malformedMetadata, "a reason"),
            "KeyStoreError": KeyStoreError(.keyLost, "a reason"),
            "JOSEError": JOSEError(.malformedKey, "a reason"),
            "DPoPError": DPoPError(.signingFailed, "a reason"),
            "PKCEError": PKCEError(.malformedVerifier, "a reason"),
            "StrictJSONError": StrictJSONError(.malformedJSON, "a reason"),
            "HTTPMessageError": HTTPMessageError(.malformedURI, "a reason"),
            "FileError": FileError("a reason"),
            "TPMKeyEvidence.Failure": TPMKeyEvidence.Failure(reason: "a reason"),
        ]
        errors["ProfileViolation"] = ProfileViolation(
            profile: .fapi2,
            requirement: .tls,
            section: "section 5.2",
            reason: "a reason"
        )
        return errors
    }

    private static let anchors = [
        "OAuthClientError": "sessionEnded", "OAuthCoreError": "malformedMetadata", "KeyStoreError": "keyLost",
        "JOSEError": "malformedKey", "DPoPError": "signingFailed", "PKCEError": "malformedVerifier",
        "StrictJSONError": "malformedJSON", "HTTPMessageError": "malformedURI", "ProfileViolation": "tls",
    ]
}
