// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
/// Where a ``KeychainKeyStore`` makes new keys; an existing key does not move.
public enum SecureEnclavePolicy: Sendable, Hashable, CaseIterable {
    /// Only in the Secure Enclave; a stored software key is not used either.
    case requireSecureEnclave
    /// In the Secure Enclave, or in software if the enclave makes no key.
    case preferSecureEnclave
    /// In software, protected by the Keychain.
    case softwareOnly
}
#endif
