// SPDX-License-Identifier: Apache-2.0

/// Whose metadata documents the server reads: documents at the URL that is the `client_id`
/// (draft-ietf-oauth-client-id-metadata-document-02).
public enum ClientDocumentPolicy: Sendable, Hashable {
    /// None: the server sends no request to a URL that a client names.
    case off
    /// Those of these hosts, in lower case, compared as a whole: `app.example` is not `www.app.example`
    /// (draft-ietf-oauth-client-id-metadata-document-02 section 8.9).
    case hosts([String])
    /// Everybody's whose URL is https and whose host has an address that everybody reaches.
    case everybody

    /// Whether the server reads any document.
    var isOn: Bool { self != .off }

    func permits(host: String) -> Bool {
        switch self {
        case .off: false
        case .hosts(let hosts): hosts.contains { $0.utf8.elementsEqual(host.lowercased().utf8) }
        case .everybody: true
        }
    }
}
