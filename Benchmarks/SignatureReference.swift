// SPDX-License-Identifier: Apache-2.0

/// The bare operations of a signature algorithm, with everything prepared.
protocol SignatureReference: AnyObject {
    /// Verifies one signature, the same each time.
    func verify()

    /// Makes one signature.
    func sign()
}
