// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
import OAuthCrypto

/// The storage keys that wrap our keys: the persistent one of the system, and one that the TPM derives each time.
///
/// Both are the same key if the system made its own by the TCG's guidance. The persistent one comes first: it needs no
/// owner authorization, and chips need up to a second to derive a key. A persistent key of another type, for example an
/// exportable one, is not used.
struct TPMParents {
    /// The handle of a system's storage key (TCG Registry of Reserved TPM 2.0 Handles).
    private static let keptHandle: TPM2_HANDLE = 0x8100_0001

    /// A storage key in the TPM.
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

    /// The storage key with a name; `nil` if this TPM neither has nor derives it.
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

    /// Frees memory in the TPM; the persistent key takes none.
    mutating func flush(_ context: TPMContext) {
        if let made { try? context.flush(made.handle) }
        made = nil
    }

    /// The persistent storage key of the system, if it is of the right type.
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
        // Without a required value the attempt fails, but no lockout counter is affected: the owner hierarchy has none.
        if let authorization, properties.isOwnerAuthorizationSet {
            handle = try authorization.withArray { value throws(TPMStatus) in try make(context, authorization: value) }
        } else {
            handle = try context.createPrimary(.storage, in: ESYS_TR_RH_OWNER)
        }
        let parent = Parent(handle: handle, name: try context.name(handle))
        made = parent
        return parent
    }

    /// Derives the storage key in a session salted with a key of the null hierarchy, which needs no authorization.
    ///
    /// So the owner's authorization value is proven, not sent.
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
