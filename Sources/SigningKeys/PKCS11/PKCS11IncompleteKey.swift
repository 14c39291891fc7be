// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The token lists a private key without its public key; this happens briefly while another process generates the pair.
struct PKCS11IncompleteKey: Error {}

extension KeyStoreError {
    var isHiddenHalf: Bool { underlying is PKCS11IncompleteKey }
}
#endif
