// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

/// What verifies the signatures of proofs: OpenSSL one by one, or with a library that takes eight at a time.
struct SignatureBackend: Sendable {
    /// Where requests meet; `nil` when each is verified by itself.
    let batcher: SignatureBatcher?
    /// What operators are told.
    let description: String
    /// Why there is no library although one was asked for.
    let problem: String?

    /// Looks for the library where the settings say; without one the server does the same, slower.
    init(_ settings: ServerSettings) {
        let place = settings.text(.signatureLanes)
        guard place != "off" else {
            (batcher, problem, description) = (nil, nil, "OpenSSL, one by one")
            return
        }
        do throws(BatchVerificationError) {
            let accelerator = try SignatureAccelerator.load(from: place)
            batcher = SignatureBatcher(accelerator)
            problem = nil
            let algorithms: [SignatureAlgorithm] = [.es256, .es384, .edDSA]
            let limits = algorithms.map { "\($0) from \(accelerator.breakEven(for: $0) ?? 0)" }
            description = "up to eight at a time by \(accelerator) (\(limits.joined(separator: ", "))), else OpenSSL"
        } catch {
            batcher = nil
            problem = place == nil ? nil : error.reason
            description = "OpenSSL, one by one (\(error.reason))"
        }
    }
}
