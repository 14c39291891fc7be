// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import TestSupport

/// Tokens that are valid at one moment, and what they are valid for; the same stand in the corpus as seeds.
enum KnownTokens {
    static let now = Timestamp(secondsSince1970: 1_790_000_000)
    static let method = "GET"
    static let uri = "https://api.example.com/me"
    /// The access token of RFC 9449 section 7.1.
    static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    static let accessTokenHash = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
    static let publicKeyX = "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w"

    /// Proofs with ES256, Ed25519 and EdDSA, of keys whose private half is 32 times the byte 1.
    static let proofs = [
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwiY3J2IjoiUC0yNTYiLCJ4IjoiYl9BN2xK"
            + "SkJ6aDJ0MURVWjVwWU9Db1cwR21tZ1hES0JBNm9yemhXVXloWSIsInkiOiJQRTkxT2xXX0FkeFQ5c0N3eC03bmkwREdfMzBscVc0"
            + "aWdybUp6dmNjRkVvIn19.eyJqdGkiOiJlcyIsImh0bSI6IkdFVCIsImh0dSI6Imh0dHBzOi8vYXBpLmV4YW1wbGUuY29tL21lIiw"
            + "iaWF0IjoxNzkwMDAwMDAwLCJhdGgiOiJmVUh5TzJyMlozRFo1M0VzTnJXQmIweFdYb2FOeTU5SWlLQ0Fxa3NtUUVvIn0.QqgJQw4"
            + "R0P6qr_cSt4b64cqjjM6gpCGRcaFSDUsL4ZMrr_asJ4XLN_wzf9kQA9xXuBDFiDiHLc4Hdvcj7srBKA",
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVkMjU1MTkiLCJqd2siOnsia3R5IjoiT0tQIiwiY3J2IjoiRWQyNTUxOSIsIngiOiJp"
            + "b2pqM1hRSjhaWDlVdHN0UExwZGNzcG5DYjhkbEJJYjgzU0lBYlFQYjF3In19.eyJqdGkiOiJlZCIsImh0bSI6IkdFVCIsImh0dSI"
            + "6Imh0dHBzOi8vYXBpLmV4YW1wbGUuY29tL21lIiwiaWF0IjoxNzkwMDAwMDAwLCJhdGgiOiJmVUh5TzJyMlozRFo1M0VzTnJXQmI"
            + "weFdYb2FOeTU5SWlLQ0Fxa3NtUUVvIn0.cC9-00UcpU5ImKxsTxsdnBpze059QkeUH2ifGqaGbRQole-jyXMcYydJlPU7FJQRT2d"
            + "nOgbUeywZx5P8Gp36AQ",
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVkRFNBIiwiandrIjp7Imt0eSI6Ik9LUCIsImNydiI6IkVkMjU1MTkiLCJ4IjoiaW9q"
            + "ajNYUUo4Wlg5VXRzdFBMcGRjc3BuQ2I4ZGxCSWI4M1NJQWJRUGIxdyJ9fQ.eyJqdGkiOiJlZGQiLCJodG0iOiJHRVQiLCJodHUiO"
            + "iJodHRwczovL2FwaS5leGFtcGxlLmNvbS9tZSIsImlhdCI6MTc5MDAwMDAwMCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiM"
            + "HhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.wjwMfaRXYCIyRoZ4tQ92yCOAUQkIqEdzoagfNJeAPmNy7zj853RvlIuTiXfc02YOnCvU"
            + "LR8UJ5agqPTkDsl0DA",
    ]

    /// An access token of the ES256 key, named `one` in ``issuerKeys``.
    static let accessJWT =
        "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiIsImtpZCI6Im9uZSJ9.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20"
        + "iLCJhdWQiOlsiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20iXSwic3ViIjoiYWxpY2UiLCJjbGllbnRfaWQiOiJhcHAiLCJpYXQiOjE"
        + "3OTAwMDAwMDAsImV4cCI6MTc5MDAwMDMwMCwianRpIjoiYSIsImNuZiI6eyJqa3QiOiIwWmNPQ09SWk5ZeS1EV3BxcTMwalp5Skd"
        + "IVE4wZDJIZ2xCVjN1aWd1QTRJIn19.ZQZxP4Pqd3HjN0Sk5vlrJ62qa7HMrhxyxkVOr1JAICTGE97VeH8FgN-j_EHk7o7SXOwjIY"
        + "-RoUPOaU9S2EVTWw"

    /// The public half of the ES256 key.
    static let issuerKeys = """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"one","alg":"ES256","use":"sig",
        "x":"b_A7lJJBzh2t1DUZ5pYOCoW0GmmgXDKBA6orzhWUyhY","y":"PE91OlW_AdxT9sCwx-7ni0DG_30lqW4igrmJzvccFEo"}]}
        """

    /// For each text that means what a known token means, the known token.
    static let originals: [[UInt8]: String] = {
        var originals: [[UInt8]: String] = [:]
        for token in proofs + [accessJWT] {
            originals[Array(token.utf8)] = token
            originals[Array(TokenTwin.twin(of: token).utf8)] = token
        }
        return originals
    }()

    /// What the proofs are valid for.
    static func expectation() throws -> ExpectedRequest {
        ExpectedRequest(method: method, targetURI: try TargetURI(parsing: uri), accessToken: accessToken)
    }
}
