// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Keys that are the same in every run.
///
/// They are public.
public enum TestKey {
    /// A key on P-256.
    ///
    /// - Parameter number: Which one: 1 to 254.
    /// - Returns: The key whose private scalar is 32 times that byte.
    /// - Throws: ``JOSEError`` for 0 and 255, which are no scalars.
    public static func p256(_ number: UInt8 = 1) throws(JOSEError) -> SoftwareSigningKey {
        try SoftwareSigningKey(
            privateKeyBytes: [UInt8](repeating: number, count: 32),
            algorithm: .es256,
            protection: .memory
        )
    }

    /// A key of RSA: generating one takes a second.
    ///
    /// - Parameter algorithm: One of the six RSA algorithms. Each has a key of its own.
    /// - Returns: The key of ``PeerVector`` for that algorithm.
    /// - Throws: ``JOSEError`` for another algorithm.
    public static func rsa(_ algorithm: SignatureAlgorithm = .rs256) throws(JOSEError) -> SoftwareSigningKey {
        let vector = PeerVector.accepted.first { $0.description == algorithm.rawValue }
        return try SoftwareSigningKey(
            privateKeyBytes: vector?.privateKey ?? [],
            algorithm: algorithm,
            protection: .memory
        )
    }
}
