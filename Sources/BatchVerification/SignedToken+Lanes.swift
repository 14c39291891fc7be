// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto

extension SignedToken {
    /// What can verify it beside others; `nil` when nothing can, or the algorithm does not fit the key.
    var laneAlgorithm: BatchAlgorithm? {
        key.fits(jws.algorithm) ? BatchAlgorithm(jws.algorithm) : nil
    }

    /// Adds it to lanes; false when it is not signed by the key, whatever the lanes say.
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
    /// The lanes for an algorithm of tokens; `nil` when there are none.
    init?(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .es384: self = .es384
        case .edDSA, .ed25519: self = .ed25519
        default: return nil
        }
    }
}
