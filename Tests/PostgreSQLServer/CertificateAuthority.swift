// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport

/// Issues certificates for the servers of a test, with the openssl command.
public final class CertificateAuthority: Sendable {
    /// The directory with its files, which is removed with it.
    private let directory: String

    /// The file with its certificate, for `sslrootcert`.
    public var certificate: String { directory + "/ca.pem" }

    /// Makes a key and a certificate of its own.
    ///
    /// - Throws: ``PostgreSQLServer/Failure``.
    public init() async throws {
        directory = NSTemporaryDirectory() + "/keybound-ca-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await run(
            "openssl req -x509 \(Self.newKey) -keyout ca.key -out ca.pem -subj '/CN=Authority of a test' -days 2"
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Issues a certificate.
    ///
    /// - Parameter name: The DNS name that it is for.
    /// - Returns: The files of the certificate and of its key.
    /// - Throws: ``PostgreSQLServer/Failure``.
    public func issue(for name: String) async throws -> (certificate: String, key: String) {
        try await run(
            """
            openssl req \(Self.newKey) -keyout \(name).key -out \(name).csr -subj /CN=\(name)
            echo subjectAltName=DNS:\(name) > \(name).ext
            openssl x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile \(name).ext \
                -out \(name).pem
            """
        )
        return ("\(directory)/\(name).pem", "\(directory)/\(name).key")
    }

    private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

    private func run(_ script: String) async throws {
        let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        let child = try ChildProcess("/bin/bash", ["-ec", script], environment: environment, directory: directory)
        let result = await child.result()
        guard result.status == 0 else {
            throw PostgreSQLServer.Failure(description: "openssl failed: \(result.errors)")
        }
    }
}
#endif
