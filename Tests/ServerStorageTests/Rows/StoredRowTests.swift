// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import StorageSuite
import Testing

@Suite("Rows of the drivers with a database")
struct StoredRowTests {
    @Test func `a record that is stored is read again, with every field`() throws {
        let consent = try Sample.consent()
        #expect(try StoredConsent(row: ValueRow(consent.storedValues)) == consent)
        var device = try Sample.device("a", thumbprint: Sample.thumbprint("key"))
        device.authorizationDetails = [try Sample.detail("a")]
        #expect(try StoredDeviceAuthorization(row: ValueRow(device.storedValues)) == device)
        var key = try Sample.signingKey("a")
        key.revokedAt = Sample.now
        #expect(try StoredSigningKey(row: ValueRow(key.storedValues)) == key)
        let registration = StoredRegistrationToken(
            tokenHash: Sample.hash("token"),
            usesLeft: 3,
            expiresAt: Sample.now,
            policy: RegistrationTokenPolicy(scope: consent.scope, allowsBearerTokens: true)
        )
        #expect(try StoredRegistrationToken(row: ValueRow(registration.storedValues)) == registration)
    }

    @Test func `a record that is looked up by its hash is read without it`() throws {
        let token = try Sample.accessToken("a", grant: "g")
        #expect(try StoredAccessToken(token.tokenHash, row: ValueRow(token.storedValues.dropFirst())) == token)
        var request = try Sample.request("a", thumbprint: Sample.thumbprint("key"))
        request.browserHash = Sample.hash("browser")
        let requestRow = ValueRow(request.storedValues.dropFirst())
        #expect(try StoredAuthorizationRequest(request.referenceHash, row: requestRow) == request)
        let code = try Sample.code("a", thumbprint: Sample.thumbprint("key"))
        let codeRow = ValueRow(code.storedValues(nonce: .blob([])).dropFirst())
        #expect(try StoredCode(code.codeHash, row: codeRow, nonce: code.nonce) == code)
        #expect(codeRow.values[6] == .blob([]))
    }

    @Test func `a grant is read with its identifier last, and its refresh tokens behind its client`() throws {
        var grant = try Sample.grant("g")
        grant.parentID = Sample.grantID("parent")
        let values = grant.storedValues
        #expect(try Grant(row: ValueRow(values.dropFirst() + values.prefix(1))) == grant)

        let (first, next) = (try Sample.token("a", grant: "g"), try Sample.token("b", grant: "g"))
        var state = RefreshTokenState(first: first)
        state.replaceCurrent(with: next, as: .rotated, at: Sample.now)
        let head: [StoredValue] = [.text(grant.clientID), .flag(true)]
        let row = ValueRow(head + state.storedValues)
        let secrets = (try Sample.tokenSecret("a", grant: "g"), try Sample.tokenSecret("b", grant: "g"))
        #expect(row.values.count == Int(GrantRefreshTokens.columnCount))
        #expect(try GrantRefreshTokens(secrets.0, row: row).stored == first)
        let read = try GrantRefreshTokens(secrets.1, row: row)
        #expect(read.stored == next)
        #expect(read.isRevoked)
        #expect(!read.isLive(at: Sample.now))
        #expect(read.state.storedValues == state.storedValues)
    }

    @Test func `a client is read in the order of the statements of every driver`() throws {
        var client = try Sample.client()
        client.changedBy = WriteAttempt(id: 5)
        client.expiresAt = Sample.now + .seconds(1)
        client.documentExpiresAt = Sample.now + .seconds(2)
        client.ownGrantRevocations = 3
        let order = [
            0, 1, 2, 3, 4, 5, 6, 7, 27, 8, 9, 28, 29, 10, 11, 12, 13, 14, 15, 16, 17, 18, 30, 31,
            19, 20, 21, 22, 23, 24, 25, 26,
        ]
        let values = client.storedValues
        #expect(values.count == order.count)
        #expect(try RegisteredClient(row: ValueRow(order.map { values[$0] })) == client)
        #expect(client.metadata(changedBy: WriteAttempt(id: 5)) == Array(values.prefix(27)))
        // What no driver writes: a negative count, an unknown origin and an unknown type.
        let wrongs: [(Int, StoredValue)] = [(23, .integer(-1)), (24, .text("x")), (25, .text("x"))]
        for (column, wrong) in wrongs {
            var read = order.map { values[$0] }
            read[column] = wrong
            let row = ValueRow(read)
            let error = #expect(throws: StorageError.self) { _ = try RegisteredClient(row: row) }
            #expect(error?.code == .corrupted)
            #expect(error?.reason.contains("column \(row.name(of: Int32(column))) ") == true)
        }
    }

    @Test func `a session without a browser is read with what only the program reads`() throws {
        let session = try Sample.firstParty("a", wrongAnswers: 2)
        let values = session.stepValues
        let row = ValueRow([1, 3, 4, 2, 5, 6].map { values[$0] })
        #expect(try StoredFirstPartySession(session.id, row: row) == session)
        #expect(session.storedValues.first == values.first)
    }

    @Test func `a value that this program never writes is an error that names its column`() {
        let values: [StoredValue] = [.integer(2), .integer(-1), .text("{"), .text("[1]"), .null, .text("a")]
        let row = ValueRow(values)
        let reads: [(column: Int32, read: () throws -> Void)] = [
            (0, { _ = try row.flag(0) }),
            (1, { _ = try row.count(1) }),
            (2, { _ = try row.object(2) }),
            (3, { _ = try row.strings(3) }),
            (4, { _ = try row.time(4) }),
            (5, { _ = try row.hash(5) }),
            (5, { _ = try row.optionalThumbprint(5) }),
        ]
        for (column, read) in reads {
            let error = #expect(throws: StorageError.self) { try read() }
            #expect(error?.code == .corrupted)
            #expect(error?.reason.contains("column \(row.name(of: column)) ") == true)
        }
    }
}

/// A row of values, as a driver would find it in its database.
private struct ValueRow: StoredRow {
    let values: [StoredValue]

    init(_ values: some Sequence<StoredValue>) {
        self.values = Array(values)
    }

    func isNull(_ column: Int32) -> Bool { values[Int(column)] == .null }

    func integer(_ column: Int32) throws(StorageError) -> Int64 {
        guard case .integer(let number) = values[Int(column)] else { throw .unreadable(name(of: column)) }
        return number
    }

    func text(_ column: Int32) throws(StorageError) -> String {
        guard case .text(let text) = values[Int(column)] else { throw .unreadable(name(of: column)) }
        return text
    }

    func blob(_ column: Int32) throws(StorageError) -> [UInt8] {
        guard case .blob(let bytes) = values[Int(column)] else { throw .unreadable(name(of: column)) }
        return bytes
    }

    func name(of column: Int32) -> String { "c\(column)" }
}
