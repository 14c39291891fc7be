// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import JOSE
import OAuthSystem
import StrictJSON

/// Our implementation, run like the programs in Peers/: on the same file, with the same clock and the same output
/// format.
struct PeerRun {
    private struct Item {
        let check: String
        let proof: String
        let thumbprint: JWKThumbprint

        init(_ value: JSONValue) throws {
            guard let object = value.objectValue, let proof = object["proof"]?.stringValue,
                let thumbprint = object["jkt"]?.stringValue
            else { throw BenchmarkError("not an entry of a file of proofs") }
            (check, self.proof) = (object["check"]?.stringValue ?? "", proof)
            self.thumbprint = try JWKThumbprint(thumbprint)
        }
    }

    private struct Sample {
        let key: JSONObject
        let message: [UInt8]
        let signature: [UInt8]

        init(_ proof: String) throws {
            let token = try CompactJWS(parsing: proof)
            guard let key = token.header["jwk"]?.objectValue else { throw BenchmarkError("a proof without a key") }
            (self.key, message, signature) = (key, token.signingInput, token.signature)
        }

        func check() {
            let key = try? JWK(parsing: key)
            precondition(key?.isValidSignature(signature, for: message, algorithm: .es256) == true)
        }
    }

    private let scenario: ProofScenario
    private let proofs: [Item]
    private let forged: [Item]
    private let warmUp: Int

    init(reading path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let file = try JSONValue(parsing: bytes, limits: JSONLimits(maximumSize: bytes.count)).objectValue
        guard let proofs = file?["proofs"]?.arrayValue, let forged = file?["forged"]?.arrayValue,
            let now = file?["now"]?.integerValue, let warmUp = file?["warmUp"]?.integerValue
        else { throw BenchmarkError("not a file of proofs") }
        self.proofs = try proofs.map { try Item($0) }
        self.forged = try forged.map { try Item($0) }
        self.warmUp = Int(warmUp)
        scenario = try PeerFile.scenario(now: Timestamp(secondsSince1970: now))
    }

    func run() async throws {
        let reference = try OpenSSLReference()
        let store = MemoryReplayStore()
        let samples = try proofs.map { try Sample($0.proof) }
        let maker = try ProofMaker(scenario)
        let accepted = forged.filter { accepts($0, in: store) }.map(\.check)
        let rows: JSONObject = [
            "dpop-verify": try await time {
                try scenario.verify(proofs[$0].proof, boundTo: proofs[$0].thumbprint, in: store)
            },
            "jwk-import-verify": try await time { samples[$0].check() },
            "dpop-create": try await time { _ in _ = try await maker.make() },
            "openssl-verify": try await time { _ in reference.verify() },
            "openssl-sign": try await time { _ in reference.sign() },
        ]
        let answer: JSONValue = ["accepted": .strings(accepted), "rows": .object(rows)]
        print(String(decoding: answer.encoded(), as: UTF8.self))
    }

    /// Whether a forged proof passes; for `jti`, the valid proof sent a second time.
    private func accepts(_ item: Item, in store: MemoryReplayStore) -> Bool {
        func verify() throws { try scenario.verify(item.proof, boundTo: item.thumbprint, in: store) }
        if item.check == "jti", (try? verify()) == nil { return false }
        return (try? verify()) != nil
    }

    /// Microseconds of processor time per operation, of the whole process.
    private func time(_ operation: (Int) async throws -> Void) async throws -> JSONValue {
        for number in 0..<warmUp { try await operation(number) }
        let start = ThreadTime.process()
        for number in warmUp..<proofs.count { try await operation(number) }
        let microseconds = (ThreadTime.process() - start) * 1e6 / Double(proofs.count - warmUp)
        return Row.number(microseconds)
    }
}
