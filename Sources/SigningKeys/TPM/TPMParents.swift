// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
import OAuthCrypto

/// The storage keys that wrap ours: the one that the system keeps in the TPM, and the one that the TPM makes again each time.
///
/// They are the same key where the system made its own as the TCG's guidance says. The kept one comes first: it needs no
/// authorization of the owner, and chips need up to a second to make a key. One of another kind, able to leave the TPM for
/// instance, is not used.
struct TPMParents {
    /// Where a system keeps its storage key (TCG Registry of Reserved TPM 2.0 Handles).
    private static let keptHandle: TPM2_HANDLE = 0x8100_0001

    /// A storage key that is in the TPM.
    struct Parent {
        let handle: TPMContext.Handle
        let name: [UInt8]
    }

    private let authorization: SecretBytes?
    private var kept: Parent?
    private var hasLooked = false
    private var made: Parent?

    init(authorization: SecretBytes?) {
        self.authorization = authorization
    }

    /// The storage key for a new key.
    mutating func first(_ context: TPMContext, _ properties: TPMProperties) throws(TPMStatus) -> Parent {
        if let parent = try keptParent(context) { return parent }
        return try madeParent(context, properties)
    }

    /// The storage key of a name; `nil` when this TPM does not have it and does not make it.
    mutating func named(
        _ name: [UInt8],
        _ context: TPMContext,
        _ properties: TPMProperties
    ) throws(TPMStatus) -> Parent? {
        if let made, made.name == name { return made }
        if let parent = try keptParent(context), parent.name == name { return parent }
        let parent = try madeParent(context, properties)
        return parent.name == name ? parent : nil
    }

    /// Makes room in the TPM; the kept key takes none.
    mutating func flush(_ context: TPMContext) {
        if let made { try? context.flush(made.handle) }
        made = nil
    }

    /// The storage key that the system keeps in the TPM, when it is of the right kind.
    mutating func keptParent(_ context: TPMContext) throws(TPMStatus) -> Parent? {
        if hasLooked { return kept }
        if let handle = try context.persistent(Self.keptHandle) {
            let point = try unsafe context.readPublic(handle).publicArea.unique.ecc
            let (x, y) = (TPMContext.octets(point.x), TPMContext.octets(point.y))
            let name = try context.name(handle)
            if name == TPMPublicArea(.storage, x: x, y: y).name { kept = Parent(handle: handle, name: name) }
        }
        hasLooked = true
        return kept
    }

    private mutating func madeParent(
        _ context: TPMContext,
        _ properties: TPMProperties
    ) throws(TPMStatus) -> Parent {
        if let made { return made }
        let handle: TPMContext.Handle
        // Without a value that is demanded the attempt fails, and no counter counts it: that of the owner has none.
        if let authorization, properties.isOwnerAuthorizationSet {
            handle = try authorization.withArray { value throws(TPMStatus) in try make(context, authorization: value) }
        } else {
            handle = try context.createPrimary(.storage, in: ESYS_TR_RH_OWNER)
        }
        let parent = Parent(handle: handle, name: try context.name(handle))
        made = parent
        return parent
    }

    /// Makes the storage key in a session that is salted with a key of the null hierarchy, which needs no authorization: the
    /// owner's value is proven, not sent.
    private func make(_ context: TPMContext, authorization: [UInt8]) throws(TPMStatus) -> TPMContext.Handle {
        let salt = try context.createPrimary(.storage, in: ESYS_TR_RH_NULL)
        let session: TPMContext.Handle
        do {
            session = try context.startSession(saltedWith: salt)
        } catch {
            try? context.flush(salt)
            throw error
        }
        try? context.flush(salt)
        defer { try? context.flush(session) }
        try context.setAuthorization(authorization, of: ESYS_TR_RH_OWNER)
        defer { try? context.setAuthorization([], of: ESYS_TR_RH_OWNER) }
        return try context.createPrimary(.storage, in: ESYS_TR_RH_OWNER, session: session)
    }
}
#endif
