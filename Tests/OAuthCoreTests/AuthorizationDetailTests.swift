// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 9396 section 2: authorization details")
struct AuthorizationDetailTests {
    /// The example of section 2, and members of a type.
    private let text = #"""
        [{"type":"customer_information","locations":["https://example.com/customers"],"actions":["read","write"],\#
        "datatypes":["contacts","photos"],"identifier":"account-14-32-32-3","privileges":["admin"],\#
        "instructedAmount":{"currency":"EUR","amount":"123.50"},"geolocation":[{"lat":-32.364,"lon":153.207}]}]
        """#

    private func parse(_ text: String) throws -> [AuthorizationDetail] {
        try AuthorizationDetail.list(parsing: JSONValue(parsing: Array(text.utf8)))
    }

    @Test func `what is read is written again, with the members of its type`() throws {
        let detail = try #require(try parse(text).first)
        #expect(detail.type == "customer_information")
        #expect(detail.locations == ["https://example.com/customers"])
        #expect(detail.actions == ["read", "write"])
        #expect(detail.dataTypes == ["contacts", "photos"])
        #expect(detail.identifier == "account-14-32-32-3")
        #expect(detail.privileges == ["admin"])
        #expect(detail.otherMembers.members.map(\.name) == ["instructedAmount", "geolocation"])
        let written = try AuthorizationDetail.json([detail])
        #expect(written == (try JSONValue(parsing: Array(text.utf8))))
    }

    @Test func `a detail needs no more than a type`() throws {
        let detail = AuthorizationDetail(type: "payment")
        #expect(try AuthorizationDetail.json([detail]) == [["type": "payment"]])
        #expect(try parse(#"[{"type":"payment","actions":null}]"#) == [detail])
        #expect(try parse("[]") == [])
    }

    @Test(arguments: [
        "{}", #"{"type":"a"}"#, "null", "[1]", "[[]]", "[{}]", #"[{"type":""}]"#, #"[{"type":1}]"#, #"[{"Type":"a"}]"#,
        #"[{"type":"a","locations":"https://a"}]"#, #"[{"type":"a","actions":[1]}]"#, #"[{"type":"a","identifier":7}]"#,
        #"[{"type":"a"},{"actions":[]}]"#,
    ])
    func `what is not an array of objects with a type is rejected`(_ text: String) throws {
        #expect { try parse(text) } throws: { ($0 as? OAuthCoreError)?.code == .malformedAuthorizationDetails }
        let answer = #"{"access_token":"a","token_type":"DPoP","authorization_details":\#(text)}"#
        let object = try #require(try JSONValue(parsing: Array(answer.utf8)).objectValue)
        if text == "null" {
            #expect(try TokenResponse(parsing: object).authorizationDetails == nil)
        } else {
            #expect { try TokenResponse(parsing: object) } throws: {
                ($0 as? OAuthCoreError)?.code == .malformedTokenResponse
            }
        }
    }

    @Test func `a member cannot be given twice, nor a type left empty`() {
        var twice = AuthorizationDetail(type: "a")
        twice.otherMembers["actions"] = ["write"]
        #expect(throws: OAuthCoreError.self) { try AuthorizationDetail.json([twice]) }
        #expect(throws: OAuthCoreError.self) { try AuthorizationDetail.json([AuthorizationDetail(type: "")]) }
    }

    @Test func `more than 16 KiB are neither read nor written`() throws {
        var detail = AuthorizationDetail(type: "a")
        detail.identifier = String(repeating: "x", count: AuthorizationDetail.maximumSize - 30)
        let largest = try AuthorizationDetail.json([detail])
        #expect(largest.encoded().count == AuthorizationDetail.maximumSize)
        #expect(try AuthorizationDetail.list(parsing: largest) == [detail])
        detail.identifier?.append("x")
        #expect(throws: OAuthCoreError.self) { try AuthorizationDetail.json([detail]) }
        let tooLarge = JSONValue.array([.object(detail.json)])
        #expect(throws: OAuthCoreError.self) { try AuthorizationDetail.list(parsing: tooLarge) }
    }

    @Test func `the token response keeps what was granted`() throws {
        var response = TokenResponse(accessToken: AccessToken("at"), tokenType: .dpop)
        response.authorizationDetails = try parse(text)
        #expect(try TokenResponse(parsing: response.json) == response)
    }

    @Test func `the metadata names the types that a server knows`() throws {
        var metadata = AuthorizationServerMetadata(issuer: "https://auth.example")
        metadata.authorizationDetailsTypesSupported = ["payment"]
        metadata.clientIDMetadataDocumentSupported = true
        #expect(metadata.json["authorization_details_types_supported"] == ["payment"])
        #expect(metadata.json["client_id_metadata_document_supported"] == true)
        #expect(try AuthorizationServerMetadata(parsing: metadata.json) == metadata)
    }
}
