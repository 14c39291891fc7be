// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
public import Foundation
public import SigningKeys

extension ClientStorage {
    /// Tokens and waiting sign-ins in a directory, keys in a store of their own; see
    /// ``directory(_:keysIn:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - url: A file URL of a directory that only its user can read; it is made if it is missing and its parent exists.
    ///   - keyStore: The store of the keys.
    /// - Returns: The storage.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a URL of something else than a file.
    public static func directory(
        _ url: URL,
        keysIn keyStore: any KeyStore
    ) throws(OAuthClientError) -> ClientStorage {
        directory(try path(url), keysIn: keyStore)
    }

    #if os(Linux) || os(macOS)
    /// Everything in a directory, the keys encrypted; see ``directory(_:keysEncryptedWith:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - url: A file URL of a directory that only its user can read; it is made if it is missing and its parent exists.
    ///   - secret: The passphrase or credential that encrypts the keys.
    /// - Returns: The storage.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a URL of something else than a file;
    ///   ``OAuthClientError/Code/keyUnavailable`` for a secret that cannot be used.
    public static func directory(
        _ url: URL,
        keysEncryptedWith secret: KeyFileSecret
    ) throws(OAuthClientError) -> ClientStorage {
        let path = try path(url)
        do {
            return try directory(path, keysEncryptedWith: secret)
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the secret of the keys cannot be used")
        }
    }
    #endif

    private static func path(_ url: URL) throws(OAuthClientError) -> String {
        guard url.isFileURL else {
            throw OAuthClientError(.invalidArgument, "the URL of a storage is not that of a directory on this device")
        }
        return url.path
    }
}

extension BrowserURL {
    /// The URL, for `UIApplication.open` and its like; `nil` if Foundation cannot express it.
    public var openURL: URL? { URL(string: reveal()) }
}
#endif
