// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthSystem
import SigningKeys

/// The key that an attester signs with: in a file, the TPM, or a token.
struct AttesterKey {
    private static let directory = Option.value(
        "--directory",
        "DIRECTORY",
        "where the key is stored, or what names it in a device",
        default: "attester in ~/.local/state/keybound"
    )
    private static let place = Option.value(
        "--key",
        "PLACE",
        "where the key of the attester is: file, tpm, or a PKCS #11 URI such as pkcs11:token=NAME?module-path=FILE",
        default: "file"
    )
    private static let unencrypted = Option.flag(
        KeyFileOpening.unencrypted.name,
        "store the key unencrypted: anyone with a copy of the file can attest keys in this attester's name"
    )
    static let options = [place, directory] + KeyFileOpening.options + [unencrypted] + KeyPIN.options

    /// Opens the key, or makes it the first time.
    static func open(_ arguments: ParsedArguments) async throws -> any SigningKey {
        let path = try arguments.value(directory) ?? StateDirectory.path() + "/attester"
        try PrivateDirectory.makeWithParents(at: path)
        let store = try store(in: AbsolutePath.of(path), arguments)
        return try await store.loadOrGenerate(alias: try KeyAlias("attester"), algorithm: .es256)
    }

    private static func store(in path: String, _ arguments: ParsedArguments) throws -> any KeyStore {
        let files = try KeyFileOpening(directory: path, arguments)
        switch try arguments.value(place).map({ try KeyChoice($0) }) ?? .file {
        case .file, .auto: return try files.store(files.newPlace(), isNew: true)
        case .secretService: return try device(.secretService, path, arguments)
        case .tpm: return try device(.tpm, path, arguments)
        case .token(let uri): return try device(.token(uri: uri), path, arguments)
        }
    }

    private static func device(
        _ place: AccountKeyPlace,
        _ path: String,
        _ arguments: ParsedArguments
    ) throws -> any KeyStore {
        try KeyDevices.store(place, named: "keybound-attester", in: path, pin: KeyPIN.source(arguments))
    }
}
#endif
