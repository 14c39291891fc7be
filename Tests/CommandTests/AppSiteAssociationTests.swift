// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import StrictJSON
import Testing

@testable import KeyboundCommand

@Suite("The file that hands https callbacks to apps")
struct AppSiteAssociationTests {
    private static let callback = "https://app.example/callback"
    private static let name = "ABCDE12345.com.example.app"

    private func association(_ text: String) throws -> AppSiteAssociation {
        try AppSiteAssociation(parsing: Array(text.utf8))
    }

    /// A file with these components, for one app that `webcredentials` names too.
    private func association(components: String, more: String = "") throws -> AppSiteAssociation {
        try association(
            """
            {"applinks":{"details":[{"appIDs":["\(Self.name)"],"components":[\(components)]}]\(more)},
            "webcredentials":{"apps":["\(Self.name)"]}}
            """
        )
    }

    private func codes(
        _ association: AppSiteAssociation,
        _ callback: String? = callback,
        app: String = name
    ) throws -> [AppSiteProblem.Code] {
        try association.problems(for: AppID(app), callback: callback).map(\.code)
    }

    @Test(arguments: [
        "ABCDE12345.com.example.app", "1234567890.a", "ABCDE12345.com.Example-2.app.Clip",
    ]) func `an app ID is a team and a bundle`(text: String) throws {
        #expect(try AppID(text).description == text)
    }

    @Test(arguments: [
        "", "com.example.app", "ABCDE12345", "ABCDE12345.", "ABCDE1234.com.example.app", "abcde12345.com.example.app",
        "ABCDE12345.com..app", "ABCDE12345.com.example.*", "ABCDE12345.com.example.app ", "ABCDE12345.com.exämple",
        "ABCDE12345." + String(repeating: "a", count: 156),
    ]) func `what is no app ID is rejected`(text: String) {
        let error = #expect(throws: OAuthClientError.self) { try AppID(text) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `what is written is what is needed`() throws {
        let other = "ABCDE12345.com.example.other"
        let written = try AppSiteAssociation(apps: [AppID(Self.name), AppID(other)], callback: Self.callback)
        let text = String(decoding: JSONValue.object(written.json).encoded(), as: UTF8.self)
        #expect(
            text == """
                {"applinks":{"details":[{"appIDs":["\(Self.name)","\(other)"],"components":[{"/":"/callback"}]}]},\
                "webcredentials":{"apps":["\(Self.name)","\(other)"]}}
                """
        )
        #expect(try AppSiteAssociation(parsing: Array(text.utf8)) == written)
        #expect(try codes(written).isEmpty)
        #expect(try codes(written, app: other).isEmpty)
        #expect(try codes(written, "https://app.example/callback2") == [.callbackNotMatched])
        #expect(try codes(written, app: "ABCDE12345.com.evil") == [.appNotInWebCredentials, .appNotInAppLinks])
    }

    @Test(arguments: [
        ("http://app.example/callback", OAuthClientError.Code.insecureURL),
        ("com.example.app:/callback", .invalidArgument),
        ("https://app.example/callback#x", .invalidArgument), ("https://me@app.example/callback", .invalidArgument),
        ("https://app.example/callback?a=b", .invalidArgument), ("https://app.example/call*", .invalidArgument),
        ("https://app.example/$(alpha)", .invalidArgument), ("callback", .invalidArgument),
    ]) func `no file is written for another callback`(callback: String, code: OAuthClientError.Code) {
        let error = #expect(throws: OAuthClientError.self) {
            try AppSiteAssociation(apps: [AppID(Self.name)], callback: callback)
        }
        #expect(error?.code == code)
    }

    @Test func `a file for no app is not written`() {
        #expect(throws: OAuthClientError.self) { try AppSiteAssociation(apps: [], callback: Self.callback) }
    }

    @Test func `applinks alone is not enough, and neither is webcredentials`() throws {
        let links = try association(
            #"{"applinks":{"details":[{"appID":"ABCDE12345.com.example.app","paths":["*"]}]}}"#
        )
        #expect(try codes(links) == [.appNotInWebCredentials])
        let credentials = try association(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#)
        #expect(try codes(credentials) == [.appNotInAppLinks])
        #expect(try codes(credentials, nil) == [.appNotInAppLinks])
    }

    /// Components for `/callback?code=...&state=...` and `/callback?error=...&state=...`.
    @Test(
        arguments: [
            (#"{}"#, []), (#"{"/":"*"}"#, []), (#"{"/":"/call*"}"#, []), (#"{"/":"/c?llback"}"#, []),
            (#"{"/":"/*/?*"}"#, [.callbackNotMatched]), (#"{"/":"/callback?*"}"#, [.callbackNotMatched]),
            (#"{"/":"/callback*"}"#, []), (#"{"/":"*back"}"#, []), (#"{"/":"*a*a*k"}"#, []),
            (#"{"/":"*a*a*a*"}"#, [.callbackNotMatched]), (#"{"/":"/Callback"}"#, [.callbackNotMatched]),
            (#"{"/":"/Callback","caseSensitive":false}"#, []), (#"{"/":"callback"}"#, [.callbackNotMatched]),
            (#"{"/":"/%63allback"}"#, [.callbackNotMatched]), (#"{"/":""}"#, [.callbackNotMatched]),
            (#"{"?":"*state=?*"}"#, []), (#"{"?":"code=*"}"#, [.callbackNotMatched]),
            (#"{"?":{"state":"?*"}}"#, []), (#"{"?":{"state":"?*","code":"*"}}"#, [.callbackNotMatched]),
            (#"{"?":{"code":"*"}},{"?":{"error":"access_*"}}"#, []), (#"{"?":{}}"#, []),
            (##"{"#":"*"}"##, []), (##"{"#":"?*"}"##, [.callbackNotMatched]),
            (#"{"/":"/callback","exclude":true},{"/":"*"}"#, [.callbackExcluded]),
            (#"{"/":"*"},{"/":"/callback","exclude":true}"#, []),
            (#"{"?":{"error":"*"},"exclude":true},{"/":"*"}"#, [.callbackExcluded]),
            (#"{"/":"/$(lower)allback"}"#, []), (#"{"/":"/$(upper)allback"}"#, [.callbackNotMatched]),
            (#"{"/":"/$(upper)allback","caseSensitive":false}"#, []), (#"{"/":"/$(lang)l$(xdigit)$(alnum)?k"}"#, []),
            (#"{"/":"/$(where)"}"#, []), (#"{"/":"/$(where"}"#, [.callbackNotMatched]),
        ] as [(String, [AppSiteProblem.Code])]
    )
    func `the first pattern that matches decides`(components: String, expected: [AppSiteProblem.Code]) throws {
        let variables = #","substitutionVariables":{"where":["start","c?ll*ck"]}"#
        #expect(try codes(association(components: components, more: variables)) == expected)
    }

    @Test func `defaults count unless a pattern says otherwise`() throws {
        let defaults = #","defaults":{"caseSensitive":false,"percentEncoded":false}"#
        #expect(try codes(association(components: #"{"/":"/CALLBACK"}"#, more: defaults)).isEmpty)
        let sensitive = try association(components: #"{"/":"/CALLBACK","caseSensitive":true}"#, more: defaults)
        #expect(try codes(sensitive) == [.callbackNotMatched])
    }

    @Test func `patterns are those of the URL as written, unless the file says that they are decoded`() throws {
        let callback = "https://app.example/r%C3%BCck%2f1"
        #expect(try codes(association(components: #"{"/":"/r%C3%BCck%2f1"}"#), callback).isEmpty)
        #expect(try codes(association(components: #"{"/":"/rück/1"}"#), callback) == [.callbackNotMatched])
        #expect(try codes(association(components: #"{"/":"/r?ck/1","percentEncoded":false}"#), callback).isEmpty)
    }

    @Test(
        arguments: [
            (#"["/callback"]"#, []), (#"["NOT /callback","*"]"#, [.callbackExcluded]), (#"["*","NOT /callback"]"#, []),
            (#"["/$(lower)allback"]"#, [.callbackNotMatched]), ("[]", [.appNotInAppLinks]),
        ] as [(String, [AppSiteProblem.Code])]
    )
    func `the older paths are read`(paths: String, expected: [AppSiteProblem.Code]) throws {
        let file = try association(
            """
            {"applinks":{"apps":[],"details":[{"appID":"\(Self.name)","paths":\(paths)}]},
            "webcredentials":{"apps":["\(Self.name)"]}}
            """
        )
        #expect(try codes(file) == expected)
    }

    @Test func `another app may come first`() throws {
        let file = try association(
            """
            {"applinks":{"details":[
            {"appIDs":["ABCDE12345.com.example.first"],"components":[{"/":"/callback"}]},
            {"appIDs":["\(Self.name)"],"components":[{"/":"*"}]}]},
            "webcredentials":{"apps":["\(Self.name)"]}}
            """
        )
        #expect(try codes(file) == [.callbackOfAnotherApp])
        #expect(try codes(file, "https://app.example/other").isEmpty)
    }

    @Test(arguments: [
        "", "[]", "{", #"{"applinks":[]}"#, #"{"applinks":{"details":{}}}"#, #"{"applinks":{"details":["a"]}}"#,
        #"{"applinks":{"details":[{"appIDs":"a"}]}}"#, #"{"applinks":{"details":[{"appID":1}]}}"#,
        #"{"applinks":{"details":[{"appIDs":[1]}]}}"#, #"{"applinks":{"details":[{"components":{}}]}}"#,
        #"{"applinks":{"details":[{"components":[1]}]}}"#, #"{"applinks":{"details":[{"components":[{"/":1}]}]}}"#,
        #"{"applinks":{"details":[{"components":[{"/":"$(nobody)"}]}]}}"#, #"{"applinks":{"details":[{"paths":"*"}]}}"#,
        #"{"applinks":{"details":[],"defaults":1}}"#, #"{"applinks":{"details":[],"substitutionVariables":[]}}"#,
        #"{"applinks":{"details":[],"substitutionVariables":{"a":"b"}}}"#, #"{"webcredentials":[]}"#,
        #"{"webcredentials":{"apps":[1]}}"#,
        "{\"comment\":\"" + String(repeating: "a", count: AppSiteAssociation.maximumSize) + "\"}",
        #"{"applinks":{"substitutionVariables":{"a":["\#(String(repeating: "a", count: 1000))"]},"#
            + #""details":[{"components":[{"/":"\#(String(repeating: "$(a)", count: 100))"}]}]}}"#,
    ]) func `what is not of the documented form is rejected`(text: String) {
        let error = #expect(throws: OAuthClientError.self) { try association(text) }
        #expect(error?.code == .malformedResponse)
    }
}
