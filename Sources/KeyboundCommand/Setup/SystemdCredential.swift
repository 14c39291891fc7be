// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthCrypto
import OAuthSystem

/// The credential that encrypts the signing keys: 32 random bytes.
enum SystemdCredential {
    /// The name that the units of the package know.
    static let standardName = "keybound-key"
    private static let store = "/etc/credstore.encrypted"
    private static let program = "/usr/bin/systemd-creds"

    /// Whether systemd runs here, can encrypt, and this process may use its store.
    static var isInUse: Bool {
        SystemUser.isRoot && InputFile.exists(at: "/run/systemd/system") && InputFile.exists(at: program)
    }

    /// The path of a credential in systemd's store.
    static func path(of name: String) -> String {
        store + "/" + name
    }

    /// Writes a new credential to a file that only this user may read, and the group of another one.
    static func write(to path: String, readableBy reader: SystemUser?) throws {
        var bytes = SystemEntropy().bytes(32)
        defer { SecretMemory.wipe(&bytes) }
        try NewFile.write(bytes, to: path, readableBy: reader)
    }

    /// Makes a credential in systemd's store, encrypted for this machine: with its TPM if it has one, or with a key that
    /// only root can read.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - copy: A file with its bytes, which is made if it is missing: without a copy, no other machine could open a backup.
    /// - Throws: ``CommandFailure``.
    static func encrypt(_ name: String, copy: String) async throws {
        if !InputFile.exists(at: copy) { try write(to: copy, readableBy: nil) }
        if !InputFile.exists(at: store) { try SystemUser.makeDirectory(store, for: nil) }
        let words = [program, "encrypt", "--name=\(name)", copy, path(of: name)]
        let status = try await BlockingWork.run {
            SpawnedProcess(words, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])?.waitForEnd()
        }
        guard status == 0 else {
            throw CommandFailure(
                .unavailable,
                "systemd-creds could not encrypt the credential",
                hint: "this says why: \(words.joined(separator: " "))"
            )
        }
    }

    /// Rejects what encryption cannot do here, before anything is written.
    static func check() throws {
        guard SystemUser.isRoot else {
            throw CommandFailure.usage(
                "only root can store a credential of systemd",
                hint: "run it with sudo, or keep the credential in a file: --key-credential-file FILE"
            )
        }
        guard InputFile.exists(at: program) else {
            throw CommandFailure(
                .unavailable,
                "there is no \(program)",
                hint: "keep the credential in a file: --key-credential-file FILE"
            )
        }
    }
}
#endif
