// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
/// Where a ``KeychainKeyStore`` makes new keys; one that exists stays where it is.
public enum SecureEnclavePolicy: Sendable, Hashable, CaseIterable {
    /// In the Secure Enclave or not at all; a stored key in software is not used either.
    case requireSecureEnclave
    /// In the Secure Enclave, and where that makes none in software.
    case preferSecureEnclave
    /// In software, guarded by the Keychain.
    case softwareOnly
}
#endif
