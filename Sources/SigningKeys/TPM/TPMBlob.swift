// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A key wrapped by a TPM: only the same TPM can load it, under the same storage key.
struct TPMBlob: Hashable, Sendable {
    let publicArea: TPMPublicArea
    /// The contents of a `TPM2B_PRIVATE`: encrypted, and bound to the public area.
    let privateArea: [UInt8]
    /// The name of the storage key.
    let parentName: [UInt8]
}
#endif
