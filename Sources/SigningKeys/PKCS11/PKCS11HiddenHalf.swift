// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A token shows the private half of a key and not the public one; for a moment, when another process has just made it.
struct PKCS11HiddenHalf: Error {}

extension KeyStoreError {
    /// Whether the error is ``PKCS11HiddenHalf``.
    var isHiddenHalf: Bool { underlying is PKCS11HiddenHalf }
}
#endif
