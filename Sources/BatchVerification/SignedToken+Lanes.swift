// SPDX-License-Identifier: Apache-2.0

import JOSE

extension SignedToken {
    /// The algorithm for batch verification; `nil` if there is none, or the algorithm does not fit the key.
    var laneAlgorithm: BatchAlgorithm? {
        key.fits(jws.algorithm) ? BatchAlgorithm(jws.algorithm) : nil
    }

    /// Adds the token to a batch; false if a check fails that the backend leaves out, so that the signature is invalid.
    func append(to lanes: inout SignatureBatch) -> Bool {
        guard laneAlgorithm == lanes.algorithm else { return false }
        return jws.withSignedParts { signature, message in
            switch key.material {
            case .p256(let key): lanes.append(key, signature, message)
            case .ec(let key): lanes.append(key, signature, message)
            case .ed25519(let key): lanes.append(key, signature, message)
            case .rsa: false
            }
        }
    }
}

extension BatchAlgorithm {
    /// The batch algorithm for a JWS algorithm; `nil` if there is none.
    init?(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .es384: self = .es384
        case .edDSA, .ed25519: self = .ed25519
        default: return nil
        }
    }
}
