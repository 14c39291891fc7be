// SPDX-License-Identifier: Apache-2.0

import Testing

/// RFC 9700 section 4.2 and RFC 6819 section 5.3.3: logs and crash reports are read by others.
@Suite("Trap 66: no public type prints a secret")
struct PrintedTypesTests {
    @Test func `every public type of the modules of a client is filled with marks, or holds nothing secret`()
        async throws
    {
        let marked = try await Set(MarkedValues.all().values.keys)
        let declared = try Set(PublicType.ofClient().map(\.name))
        #expect(declared.count > 200)
        #expect(declared.subtracting(marked).subtracting(Self.harmless) == [])
        #expect(Self.harmless.subtracting(declared) == [])
        #expect(marked.subtracting(declared) == [])
        #expect(marked.intersection(Self.harmless) == [])
    }

    @Test func `what is printed of them has no mark`() async throws {
        let marked = try await MarkedValues.all()
        for (name, values) in marked.values {
            for value in values {
                let found = marked.secrets(in: value)
                #expect(found == [], "\(name)")
            }
        }
    }

    @Test func `a secret is found in text, in a description and in bytes`() {
        struct Leak { let bytes = Array(MarkedValues.mark.utf8) }
        #expect(MarkedValues().secrets(in: "a \(MarkedValues.mark)") == [MarkedValues.mark])
        #expect(MarkedValues().secrets(in: MarkedValues.Foreign()) == [MarkedValues.mark])
        #expect(MarkedValues().secrets(in: Leak()).first?.hasPrefix("bytes") ?? false)
        #expect(MarkedValues().secrets(in: "nothing") == [])
    }

    private static let harmless = names.union(rules).union(errors).union(publicFacts).union(tools).union(apple)

    /// Names that a specification or this package defines, and names that an app chooses.
    private static let names: Set = [
        "OAuthClientError.Code", "OAuthCoreError.Code", "KeyStoreError.Code", "JOSEError.Code", "DPoPError.Code",
        "PKCEError.Code", "StrictJSONError.Code", "HTTPMessageError.Code", "ProfileViolation.Requirement",
        "ClientProfile",
        "SignatureAlgorithm", "MACAlgorithm", "KeyProtection", "KeyPolicy", "KeyEvent.Kind", "KeyAlias", "KeyPairType",
        "CodeChallengeMethod", "DPoPServerRole", "DPoPNoncePolicy", "ProofStep", "ReplayInsertion", "TokenType",
        "TokenTypeIdentifier", "ClientAuthenticationMethod", "OAuthErrorCode", "ClientAttestationField",
        "FirstPartyParameter", "SignInProblem", "SignInStepType", "SessionEvent", "NeedsSignIn", "SignInOutcome",
        "AuthorizationPrompt", "PageDisplay", "ResponseMode", "ResourceMatching", "ForwardedField", "Recovery",
        "OAuthClientText", "WellKnownURI", "Scope", "ClientAccount", "RequestReport.Recipient", "RequestReport.Purpose",
        "RequestReport.RetryReason",
    ]

    /// Limits, rules and choices.
    private static let rules: Set = [
        "JSONLimits", "JWTValidation.AudienceRule", "ProofPolicy", "RetryPolicy", "TokenBindingFallback",
        "AddressPolicy",
        "BoundedTokenConfiguration", "UnboundedTokenConfiguration", "CurlTransportConfiguration.TLSVersion",
        "StepUpDecision",
    ]

    /// Errors that hold nothing but their own reason, which is never a secret.
    private static let errors: Set = [
        "StrictJSONError", "HTTPMessageError", "FileError", "ProfileViolation", "TPMKeyEvidence.Failure",
    ]

    /// What is public, or said to everybody: public keys and their hashes, metadata, addresses, times, statements of a TPM.
    ///
    /// `URI` is a text, and prints it: where a URL is secret, the value around it is redacted. A challenge is in
    /// `WWW-Authenticate`, of which clients are told what to do.
    private static let publicFacts: Set = [
        "JWK", "JWKSet", "JWKThumbprint", "FixedJWKSet", "ReplayKey", "ReplayEpoch", "AuthorizationServerMetadata",
        "ProtectedResourceMetadata", "ClientMetadataDocument", "URI", "TargetURI", "IPAddress", "IPAddressRange",
        "TrustedProxies", "TraceContext", "Challenge", "Challenge.Parameter", "Timestamp", "TokenFacts", "KeyFact",
        "TPMKeyEvidence", "TPMKeyEvidence.Verified", "TPMKeyAttestation", "PKCS11URI", "PKCS11TokenSelection",
        "StepUpChallenge", "ScopeChallenge", "StepUpNeed", "RedirectURI", "RequestReport", "ClientEvent",
    ]

    /// What works without keeping a secret: paths of files, devices and browsers, clocks, caches of public keys.
    private static let tools: Set = [
        "SystemEntropy", "SystemMonotonicClock", "SystemWallClock", "Base64URL", "PKCEService", "MemoryReplayStore",
        "IssuerKeys", "JWKSetCache", "MemoryKeyLocationStore", "FileKeyLocationStore", "UnencryptedFileKeyStore",
        "SecretServiceKeyStore", "PKCS11KeyStore", "URLSessionTransport", "HTTPClientAttester", "NoEvidence",
        "PKCS11Evidence", "TPMEvidence", "FileTokenStore", "FileTransactionStore", "FileAccountStore",
        "FileMCPStateStore", "ClientRegistrar", "ProtectedResourceDiscovery", "ServerContext", "SystemBrowser",
        "LoopbackReceiver",
    ]

    /// Types of Apple platforms, which keep names and choices, and no secret in memory.
    private static let apple: Set = [
        "AppAttestEvidence", "KeyUsePolicy", "KeychainAccessibility", "KeychainKeyLocationStore", "KeychainKeyStore",
        "LoginKeychainKeyStore", "SecureEnclavePolicy", "KeychainTokenStore", "EnvironmentUserAgent",
        "WebAuthenticationUserAgent",
    ]
}
