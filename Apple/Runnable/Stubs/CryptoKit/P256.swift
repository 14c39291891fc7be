// SPDX-License-Identifier: Apache-2.0

import Foundation

public enum P256 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public let rawRepresentation: Data
        }

        public struct PublicKey: Sendable {
            public let rawRepresentation: Data
        }
    }
}
