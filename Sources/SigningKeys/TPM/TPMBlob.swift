// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A key as the TPM gives it out: only the same TPM opens it, under the same storage key.
struct TPMBlob: Hashable, Sendable {
    let publicArea: TPMPublicArea
    /// The octets inside a `TPM2B_PRIVATE`: encrypted, and bound to the public area.
    let privateArea: [UInt8]
    /// The name of the storage key.
    let parentName: [UInt8]
}
#endif
