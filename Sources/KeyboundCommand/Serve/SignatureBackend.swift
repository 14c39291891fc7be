// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

/// What verifies the signatures of proofs: OpenSSL one by one, or a library that verifies eight at a time.
struct SignatureBackend: Sendable {
    /// Batches the signatures of concurrent requests; `nil` if each is verified alone.
    let batcher: SignatureBatcher?
    /// A description for operators.
    let description: String
    /// Why the configured library could not be loaded.
    let problem: String?

    /// Loads the library from the configured folder.
    ///
    /// Without it the server works in the same way, but slower.
    init(_ settings: ServerSettings) {
        let place = settings.text(.signatureLanes)
        guard place != "off" else {
            (batcher, problem, description) = (nil, nil, "OpenSSL, one by one")
            return
        }
        do throws(BatchVerificationError) {
            let backend = try BatchBackend.load(from: place)
            batcher = SignatureBatcher(backend)
            problem = nil
            let algorithms: [SignatureAlgorithm] = [.es256, .es384, .edDSA]
            let limits = algorithms.map { "\($0) from \(backend.breakEven(for: $0) ?? 0)" }
            description = "up to eight at a time by \(backend) (\(limits.joined(separator: ", "))), else OpenSSL"
        } catch {
            batcher = nil
            problem = place == nil ? nil : error.reason
            description = "OpenSSL, one by one (\(error.reason))"
        }
    }
}
