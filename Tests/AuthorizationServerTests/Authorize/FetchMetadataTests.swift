// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Fetch metadata: forms come from pages of this server")
struct FetchMetadataTests {
    private static let sites = [nil, "same-origin", "same-site", "cross-site", "none"]
    private static let modes = [nil, "navigate", "cors", "no-cors"]
    private static let destinations = [nil, "document", "iframe", "empty"]

    @Test func `only a navigation of this origin is a form; what says nothing may be one`() {
        for site in Self.sites {
            for mode in Self.modes {
                for destination in Self.destinations {
                    var fields: HTTPFields = [:]
                    fields["Sec-Fetch-Site"] = site
                    fields["Sec-Fetch-Mode"] = mode
                    fields["Sec-Fetch-Dest"] = destination
                    let isAllowed =
                        [nil, "same-origin"].contains(site) && [nil, "navigate"].contains(mode)
                        && [nil, "document"].contains(destination)
                    #expect(FetchMetadata.allowsForm(HTTPRequest(target: "/", fields: fields)) == isAllowed)
                }
            }
        }
        let twice = HTTPFields([
            .init(name: "Sec-Fetch-Site", value: "same-origin"), .init(name: "Sec-Fetch-Site", value: "same-origin"),
        ])
        #expect(!FetchMetadata.allowsForm(HTTPRequest(target: "/", fields: twice)))
    }

    @Test(
        arguments: [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Mode": "cors"], ["Sec-Fetch-Dest": "iframe"],
        ] as [HTTPFields]
    )
    func `a form from elsewhere decides nothing, though it has everything else`(fields: HTTPFields) async throws {
        let server = try await ServerUnderTest.inMemory()
        let browser = try await server.signedInBrowser()
        let client = try FakeClient(server)
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        let form = try FakeBrowser.form(of: page)
        var fields = fields
        fields["Origin"] = ServerUnderTest.issuer
        let allowed = form.hidden.with("decision", "allow")
        let forged = await browser.send(.form(form.action, allowed, fields: fields))
        #expect(forged.status == 403)
        let own: HTTPFields = [
            "Origin": ServerUnderTest.issuer, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        ]
        #expect(try await browser.send(.form(form.action, allowed, fields: own)).callback()["code"] != nil)
    }
}
