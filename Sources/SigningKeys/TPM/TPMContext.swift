// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2

/// An open connection to a TPM, with the required commands on Swift values.
///
/// Calls block until the TPM responds. For one thread at a time.
@safe final class TPMContext {
    /// A key or session in the TPM, by its ESYS number.
    typealias Handle = ESYS_TR

    /// The empty authorization value, sent as a password; our keys have it.
    static let emptyPassword: Handle = ESYS_TR_PASSWORD
    static let none: Handle = ESYS_TR_NONE

    let library: TPMLibrary
    private var tcti: OpaquePointer?
    private(set) var esys: OpaquePointer?

    init(_ library: TPMLibrary, tcti configuration: String) throws(TPMStatus) {
        self.library = library
        try Self.check(unsafe library.openTCTI(configuration, &tcti), "opening the connection")
        try Self.check(unsafe library.initialize(&esys, tcti, nil), "starting ESYS")
        // ESYS then waits for the TPM in asynchronous calls too, as in all others.
        try Self.check(unsafe library.setTimeout(esys, -1), "starting ESYS")
    }

    deinit {
        if unsafe esys != nil { unsafe library.finalize(&esys) }
        if unsafe tcti != nil { unsafe library.closeTCTI(&tcti) }
    }

    /// Makes a primary key of a hierarchy, the same one each time.
    func createPrimary(
        _ template: TPMPublicArea,
        in hierarchy: Handle,
        session: Handle = emptyPassword
    ) throws(TPMStatus) -> Handle {
        var (sensitive, template) = (TPM2B_SENSITIVE_CREATE(), template.structure)
        var (outside, registers, handle) = (TPM2B_DATA(), TPML_PCR_SELECTION(), Self.none)
        try Self.check(
            unsafe library.createPrimary(
                esys,
                hierarchy,
                session,
                Self.none,
                Self.none,
                &sensitive,
                &template,
                &outside,
                &registers,
                &handle,
                nil,
                nil,
                nil,
                nil
            ),
            "TPM2_CreatePrimary"
        )
        return handle
    }

    /// Makes a key without loading it; returns its point and its wrapped private key.
    func create(
        _ template: TPMPublicArea,
        under parent: Handle
    ) throws(TPMStatus) -> (x: [UInt8], y: [UInt8], privateArea: [UInt8]) {
        var (sensitive, template) = (TPM2B_SENSITIVE_CREATE(), template.structure)
        var (outside, registers) = (TPM2B_DATA(), TPML_PCR_SELECTION())
        var privatePart: UnsafeMutablePointer<TPM2B_PRIVATE>?
        var publicPart: UnsafeMutablePointer<TPM2B_PUBLIC>?
        try Self.check(
            unsafe library.create(
                esys,
                parent,
                Self.emptyPassword,
                Self.none,
                Self.none,
                &sensitive,
                &template,
                &outside,
                &registers,
                &privatePart,
                &publicPart,
                nil,
                nil,
                nil
            ),
            "TPM2_Create"
        )
        defer {
            unsafe library.free(privatePart)
            unsafe library.free(publicPart)
        }
        guard let privatePart = unsafe privatePart, let publicPart = unsafe publicPart else { throw Self.noResponse }
        let bytes = unsafe TPMSizedBuffer.octets(of: privatePart)
        let point = unsafe publicPart.pointee.publicArea.unique.ecc
        return (Self.octets(point.x), Self.octets(point.y), bytes)
    }

    /// Loads a key into the TPM.
    func load(_ blob: TPMBlob, under parent: Handle) throws(TPMStatus) -> Handle {
        var publicPart = blob.publicArea.structure
        var (privatePart, handle) = (TPM2B_PRIVATE(), Self.none)
        guard TPMSizedBuffer.fill(&privatePart, with: blob.privateArea) else {
            throw TPMStatus(0x1D5, "reading a private area that is too long", as: .damaged)
        }
        let status = unsafe library.load(
            esys,
            parent,
            Self.emptyPassword,
            Self.none,
            Self.none,
            &privatePart,
            &publicPart,
            &handle
        )
        try Self.check(status, "TPM2_Load", as: TPMStatus.kind(ofLoading: status))
        return handle
    }

    /// Signs a digest with a loaded key, by the key's own scheme.
    ///
    /// The two numbers may be shorter than the curve: TPMs omit leading zeros. `meanwhile` is called while the TPM
    /// works.
    func sign(
        _ digest: [UInt8],
        with key: Handle,
        meanwhile: () -> Void
    ) throws(TPMStatus) -> (r: [UInt8], s: [UInt8]) {
        var (input, scheme, ticket) = (TPM2B_DIGEST(), TPMT_SIG_SCHEME(), TPMT_TK_HASHCHECK())
        try Self.fill(&input, with: digest)
        scheme.scheme = TPM2_ALG_NULL
        // The key may sign anything, so the TPM needs no proof that it did the hashing.
        (ticket.tag, ticket.hierarchy) = (TPM2_ST_HASHCHECK, TPM2_RH_NULL)
        try Self.check(
            unsafe library.startSigning(
                esys,
                key,
                Self.emptyPassword,
                Self.none,
                Self.none,
                &input,
                &scheme,
                &ticket
            ),
            "TPM2_Sign"
        )
        meanwhile()
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        defer { unsafe library.free(signature) }
        var status: TSS2_RC
        // ESYS resends a command if the TPM requests it, and reports that from any of its layers.
        repeat {
            status = unsafe library.finishSigning(esys, &signature)
        } while status & 0xFF00_FFFF == TSS2_BASE_RC_TRY_AGAIN
        try Self.check(status, "TPM2_Sign")
        return try unsafe Self.numbers(signature)
    }

    /// Makes a restricted key certify that another key is in this TPM, including the caller's bytes.
    ///
    /// The result is a `TPMS_ATTEST`.
    func certify(
        _ key: Handle,
        with signer: Handle,
        challenge: [UInt8]
    ) throws(TPMStatus) -> (statement: [UInt8], r: [UInt8], s: [UInt8]) {
        var (qualifying, scheme) = (TPM2B_DATA(), TPMT_SIG_SCHEME())
        try Self.fill(&qualifying, with: challenge)
        scheme.scheme = TPM2_ALG_NULL
        var statement: UnsafeMutablePointer<TPM2B_ATTEST>?
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        try Self.check(
            unsafe library.certify(
                esys,
                key,
                signer,
                Self.emptyPassword,
                Self.emptyPassword,
                Self.none,
                &qualifying,
                &scheme,
                &statement,
                &signature
            ),
            "TPM2_Certify"
        )
        defer {
            unsafe library.free(statement)
            unsafe library.free(signature)
        }
        guard let statement = unsafe statement else { throw Self.noResponse }
        let numbers = try unsafe Self.numbers(signature)
        return (unsafe TPMSizedBuffer.octets(of: statement), numbers.r, numbers.s)
    }

    /// The public area of a loaded key, as the TPM reports it.
    func readPublic(_ handle: Handle) throws(TPMStatus) -> TPM2B_PUBLIC {
        var publicPart: UnsafeMutablePointer<TPM2B_PUBLIC>?
        try Self.check(
            unsafe library.readPublic(esys, handle, Self.none, Self.none, Self.none, &publicPart, nil, nil),
            "TPM2_ReadPublic"
        )
        defer { unsafe library.free(publicPart) }
        guard let publicPart = unsafe publicPart else { throw Self.noResponse }
        return unsafe publicPart.pointee
    }

    /// A persistent key; `nil` if there is none at that handle.
    ///
    /// This reads the list of handles first, because ESYS prints an error for a key that does not exist.
    func persistent(_ number: TPM2_HANDLE) throws(TPMStatus) -> Handle? {
        let list = try unsafe capability(TPM2_CAP_HANDLES, from: number, count: 1).handles
        guard list.count == 1, list.handle.0 == number else { return nil }
        var handle = Self.none
        try Self.check(
            unsafe library.handleOfPersistent(esys, number, Self.none, Self.none, Self.none, &handle),
            "TPM2_ReadPublic"
        )
        return handle
    }

    /// The name of a key: the hash function and the hash of its public area.
    func name(_ handle: Handle) throws(TPMStatus) -> [UInt8] {
        var name: UnsafeMutablePointer<TPM2B_NAME>?
        try Self.check(unsafe library.name(esys, handle, &name), "the name of a key")
        defer { unsafe library.free(name) }
        guard let name = unsafe name else { throw Self.noResponse }
        return unsafe TPMSizedBuffer.octets(of: name)
    }

    /// The TPM's properties, by number (TPM 2.0 Part 2 section 6.13).
    func properties(from first: UInt32, count: UInt32) throws(TPMStatus) -> [UInt32: UInt32] {
        let list = try unsafe capability(TPM2_CAP_TPM_PROPERTIES, from: first, count: count).tpmProperties
        return unsafe withUnsafeBytes(of: list.tpmProperty) { buffer in
            let properties = unsafe buffer.bindMemory(to: TPMS_TAGGED_PROPERTY.self).prefix(Int(list.count))
            return unsafe Dictionary(properties.map { ($0.property, $0.value) }) { first, _ in first }
        }
    }

    /// The bytes of a number, limited to those that the TPM wrote.
    static func octets(_ number: TPM2B_ECC_PARAMETER) -> [UInt8] { TPMSizedBuffer.octets(of: number) }

    /// The two numbers of an ECDSA signature.
    private static func numbers(
        _ signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
    ) throws(TPMStatus) -> (r: [UInt8], s: [UInt8]) {
        guard let signature = unsafe signature, unsafe signature.pointee.sigAlg == TPM2_ALG_ECDSA else {
            throw noResponse
        }
        let numbers = unsafe signature.pointee.signature.ecdsa
        return (octets(numbers.signatureR), octets(numbers.signatureS))
    }

    private func capability(
        _ kind: TPM2_CAP,
        from first: UInt32,
        count: UInt32
    ) throws(TPMStatus) -> TPMU_CAPABILITIES {
        var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
        try Self.check(
            unsafe library.getCapability(esys, Self.none, Self.none, Self.none, kind, first, count, nil, &data),
            "TPM2_GetCapability"
        )
        defer { unsafe library.free(data) }
        guard let data = unsafe data, unsafe data.pointee.capability == kind else { throw Self.noResponse }
        return unsafe data.pointee.data
    }

    /// Fills a command parameter.
    static func fill<Buffer>(_ buffer: inout Buffer, with octets: [UInt8]) throws(TPMStatus) {
        guard TPMSizedBuffer.fill(&buffer, with: octets) else {
            // TSS2_ESYS_RC_BAD_SIZE, which the library would return.
            throw TPMStatus(0x0007_0010, "a value that is too long for the TPM")
        }
    }

    private static let noResponse = TPMStatus(0x0007_0001, "a command without an answer")

    static func check(
        _ status: TSS2_RC,
        _ attempt: String,
        as kind: TPMStatus.Kind? = nil
    ) throws(TPMStatus) {
        guard status == 0 else { throw TPMStatus(status, attempt, as: kind) }
    }
}
#endif
