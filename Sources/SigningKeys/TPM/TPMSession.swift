// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2

/// A connection and the keys that are loaded over it.
struct TPMSession {
    /// The maximum number of keys that stay loaded.
    ///
    /// A TPM without a resource manager has memory for three, including the storage key. When it reports that it is
    /// full, keys are flushed.
    private static let maximumCount = 8

    let properties: TPMProperties
    private let context: TPMContext
    private var parents: TPMParents
    /// In order of use; the most recent one is last.
    private var keys: [(blob: TPMBlob, handle: TPMContext.Handle)] = []

    init(_ context: TPMContext, _ parents: TPMParents) throws(TPMStatus) {
        self.context = context
        self.parents = parents
        properties = try TPMProperties(context)
    }

    /// Makes a key without loading it.
    mutating func create(_ purpose: TPMPublicArea.Purpose) throws(TPMStatus) -> TPMBlob {
        let parent = try parents.first(context, properties)
        let made = try context.create(TPMPublicArea(purpose), under: parent.handle)
        let publicArea = TPMPublicArea(purpose, x: made.x, y: made.y)
        return TPMBlob(publicArea: publicArea, privateArea: made.privateArea, parentName: parent.name)
    }

    /// The handle of a key in the TPM; loads it if needed.
    private mutating func handle(of blob: TPMBlob) throws(TPMStatus) -> TPMContext.Handle {
        if let index = keys.lastIndex(where: { $0.blob == blob }) {
            if index != keys.count - 1 { keys.append(keys.remove(at: index)) }
            return keys[keys.count - 1].handle
        }
        guard let parent = try parents.named(blob.parentName, context, properties) else {
            throw TPMStatus.otherParent
        }
        let handle = try context.load(blob, under: parent.handle)
        if keys.count == Self.maximumCount { try? context.flush(keys.removeFirst().handle) }
        keys.append((blob, handle))
        return handle
    }

    /// Signs a digest; `meanwhile` is called, perhaps several times, before each wait.
    mutating func sign(
        _ digest: [UInt8],
        with blob: TPMBlob,
        meanwhile: () -> Void
    ) throws(TPMStatus) -> (r: [UInt8], s: [UInt8]) {
        if !keys.contains(where: { $0.blob == blob }) { meanwhile() }
        return try context.sign(digest, with: handle(of: blob), meanwhile: meanwhile)
    }

    /// The TPM's statement about a key, signed by its attestation key, which is derived for this.
    mutating func certify(
        _ blob: TPMBlob,
        challenge: [UInt8]
    ) throws(TPMStatus) -> (statement: [UInt8], r: [UInt8], s: [UInt8], signer: TPMPublicArea) {
        let key = try handle(of: blob)
        let signer = try context.createPrimary(.attestation, in: ESYS_TR_RH_ENDORSEMENT)
        defer { try? context.flush(signer) }
        let point = try unsafe context.readPublic(signer).publicArea.unique.ecc
        let area = TPMPublicArea(.attestation, x: TPMContext.octets(point.x), y: TPMContext.octets(point.y))
        let answer = try context.certify(key, with: signer, challenge: challenge)
        return (answer.statement, answer.r, answer.s, area)
    }

    /// The attributes that the TPM reports for a key.
    mutating func attributes(of blob: TPMBlob) throws(TPMStatus) -> TPMA_OBJECT {
        try context.readPublic(handle(of: blob)).publicArea.objectAttributes
    }

    /// Whether a key is wrapped by the persistent storage key of the system.
    mutating func isKept(_ blob: TPMBlob) throws(TPMStatus) -> Bool {
        try parents.keptParent(context)?.name == blob.parentName
    }

    /// Loads a key into the TPM, which proves that it can be loaded.
    mutating func open(_ blob: TPMBlob) throws(TPMStatus) {
        _ = try handle(of: blob)
    }

    /// Frees memory in the TPM: first the keys, and without any, the storage key.
    mutating func flush() {
        if keys.isEmpty { parents.flush(context) }
        for key in keys { try? context.flush(key.handle) }
        keys = []
    }

    /// Frees all memory.
    mutating func flushAll() {
        flush()
        parents.flush(context)
    }
}
#endif
