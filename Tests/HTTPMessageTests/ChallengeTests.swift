// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("RFC 9110 section 11.6.1: challenges")
struct ChallengeTests {
    /// What a challenge says, in one line: `scheme`, `scheme token68` or `scheme|name=value|name=value`.
    private func summary(_ fields: String...) throws -> [String] {
        try Challenge.parse(fields).map { challenge in
            ([challenge.scheme + (challenge.token68.map { " " + $0 } ?? "")]
                + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: "|")
        }
    }

    /// RFC 9449, figures 15 to 19 and 24.
    @Test(arguments: [
        ("DPoP algs=\"ES256 PS256\"", nil, ["DPoP"]),
        (
            "DPoP error=\"invalid_token\", error_description=\"Invalid DPoP key binding\", algs=\"ES256\"",
            "invalid_token",
            ["DPoP"]
        ),
        ("Bearer, DPoP algs=\"ES256 PS256\"", nil, ["Bearer", "DPoP"]),
        (
            "Bearer error=\"invalid_token\", error_description=\"Invalid token\", DPoP algs=\"ES256 PS256\"", nil,
            ["Bearer", "DPoP"]
        ),
        (
            """
            Bearer error="invalid_request", error_description="Multiple methods used to include access token", \
            DPoP algs="ES256 PS256", error="invalid_request", \
            error_description="Multiple methods used to include access token"
            """, "invalid_request", ["Bearer", "DPoP"]
        ),
        (
            "DPoP error=\"use_dpop_nonce\", error_description=\"Resource server requires nonce in DPoP proof\"",
            "use_dpop_nonce", ["DPoP"]
        ),
    ])
    func `reads the challenges of RFC 9449`(field: String, dpopError: String?, schemes: [String]) throws {
        let challenges = try Challenge.parse([field])
        #expect(challenges.map(\.scheme) == schemes)
        #expect(challenges.first { $0.hasScheme("dpop") }?.value(for: "ERROR") == dpopError)
        // Written again and joined, they read the same.
        #expect(try Challenge.parse([challenges.map(\.fieldValue).joined(separator: ", ")]) == challenges)
    }

    @Test func `reads the example of the RFC`() throws {
        let field = "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\""
        #expect(try summary(field) == ["Basic|realm=simple", "Newauth|realm=apps|type=1|title=Login to \"apps\""])
    }

    @Test func `reads several fields, white space around the equals sign and empty elements`() throws {
        #expect(
            try summary("Bearer", "", " , ", "DPoP algs = \"ES256\"\t,, error\t=\tx ,") == [
                "Bearer", "DPoP|algs=ES256|error=x",
            ]
        )
        #expect(try summary("DPoP , error=\"x\"") == ["DPoP|error=x"])
        #expect(try summary("Bearer,DPoP,,Basic") == ["Bearer", "DPoP", "Basic"])
        #expect(try summary() == [])
    }

    @Test func `tells a token68 from parameters`() throws {
        #expect(try summary("Negotiate a87421000492aa874209af8bc028==") == ["Negotiate a87421000492aa874209af8bc028=="])
        #expect(try summary("Negotiate abc=, Bearer x=y") == ["Negotiate abc=", "Bearer|x=y"])
        #expect(try summary("Negotiate a+/b , Bearer") == ["Negotiate a+/b", "Bearer"])
        #expect(try summary("Bearer realm=\"\"") == ["Bearer|realm="])
        #expect(try summary("Bearer a=b") == ["Bearer|a=b"])
        // By the grammar a token68, not a parameter without a value.
        #expect(try summary("Bearer realm") == ["Bearer realm"])
    }

    @Test func `a comma, a scheme or an escape inside quotes is part of the value`() throws {
        #expect(
            try summary("Bearer a=\"x, DPoP error=\\\"y\\\"\", b=\"\\\\\"") == ["Bearer|a=x, DPoP error=\"y\"|b=\\"]
        )
        #expect(try summary("Bearer a=\"\u{FC}\t\"") == ["Bearer|a=\u{FC}\t"])
    }

    @Test(arguments: [
        "Bearer realm=\"x", "Bearer realm=\"x\\", "Bearer a=\"b\" c=\"d\"", "Bearer a=b c", "Bearer=x",
        "realm=\"x\"",
        "\"Bearer\"", "Bearer a=@", "Bearer a=\"x\"y", "Bearer@", "(Bearer)", "Bearer a=\"\u{0}\"", "Bearer a=\"\r\n\"",
        "Bearer a=1, A=2", "DPoP x y", "Bearer a=b=c", "B\u{FC}r", "Bearer, =x", "Bearer a==b",
    ])
    func `refuses what is malformed`(field: String) {
        let error = #expect(throws: HTTPMessageError.self) { try Challenge.parse([field]) }
        #expect(error?.code == .malformedChallenge)
    }

    @Test func `reads up to 64 challenges and up to 64 KiB`() throws {
        #expect(try Challenge.parse(Array(repeating: "DPoP", count: 64)).count == 64)
        #expect(throws: HTTPMessageError.self) { try Challenge.parse(Array(repeating: "DPoP", count: 65)) }
        let half = "DPoP a=\"" + String(repeating: "x", count: 32_759) + "\""
        #expect(try Challenge.parse([half, half]).count == 2)
        #expect(throws: HTTPMessageError.self) { try Challenge.parse([half, half + " "]) }
    }

    @Test func `writes every parameter quoted and lets no control character through`() {
        let challenge = Challenge(
            scheme: "DPoP",
            parameters: [.init(name: "error", value: "a\"b\\c"), .init(name: "x", value: "1\r\nSet-Cookie: y")]
        )
        #expect(challenge.fieldValue == "DPoP error=\"a\\\"b\\\\c\", x=\"1  Set-Cookie: y\"")
        #expect(Challenge(scheme: "Bearer").fieldValue == "Bearer")
    }

    @Test func `a tab, which a field can hold, is written as it was read`() throws {
        let challenges = try Challenge.parse(["A b=\"c\td\""])
        #expect(challenges.first?.fieldValue == "A b=\"c\td\"")
        #expect(try Challenge.parse(challenges.map(\.fieldValue)) == challenges)
    }

    @Test func `a challenge of more than 64 parameters is rejected before they are compared with each other`() throws {
        let parameters = (0..<10_000).map { "p\($0)=a" }
        let longest = "A " + parameters.prefix(64).joined(separator: ",")
        #expect(try Challenge.parse([longest]).first?.parameters.count == 64)
        #expect(try Challenge.parse([longest + ", B c=d"]).count == 2)
        let error = #expect(throws: HTTPMessageError.self) {
            try Challenge.parse(["A " + parameters.prefix(65).joined(separator: ",")])
        }
        #expect(error?.code == .malformedChallenge)
        // Compared with each other, these would need 24 million comparisons.
        #expect(throws: HTTPMessageError.self) {
            try Challenge.parse(["A " + parameters.prefix(7000).joined(separator: ",")])
        }
    }

    @Test func `reads back what it writes, whatever the value`() throws {
        var random = SeededBytes(seed: 4)
        for _ in 0..<300 {
            let challenges = (0..<Int.random(in: 1...4, using: &random)).map { number in
                Challenge(
                    scheme: "Scheme\(number)",
                    parameters: (0..<Int.random(in: 0...4, using: &random)).map { index in
                        let text = random.text(maximumCount: 20).unicodeScalars.filter {
                            $0.value > 0x1F && $0.value != 0x7F
                        }
                        return .init(name: "p\(index)", value: String(String.UnicodeScalarView(text)))
                    }
                )
            }
            #expect(try Challenge.parse([challenges.map(\.fieldValue).joined(separator: ",")]) == challenges)
            #expect(try Challenge.parse(challenges.map(\.fieldValue)) == challenges)
        }
    }
}

@Suite("RFC 9110 section 11.4: credentials")
struct CredentialsTests {
    @Test func `takes the token exactly as sent`() throws {
        let credentials = try Credentials.parse("dpop  aB1-._~+/==")
        #expect(credentials.scheme == "dpop")
        #expect(credentials.token68 == "aB1-._~+/==")
        #expect(credentials.hasScheme("DPoP"))
        #expect(!credentials.hasScheme("DPoPX"))
    }

    @Test(arguments: [
        "", "DPoP", "DPoP ", " DPoP x", "DPoP\tx", "DPoP x ", "DPoP x y", "DPoP x,y", "DPoP =", "DPoP a=b",
        "DPoP \u{FC}",
        "DPoP a=\"b\"", "D@P x", "x", "DPoP x\r\n", "DPoP x==y",
    ])
    func `refuses anything but a scheme and one token`(field: String) {
        let error = #expect(throws: HTTPMessageError.self) { try Credentials.parse(field) }
        #expect(error?.code == .malformedChallenge)
    }

    @Test func `reads up to 64 KiB`() throws {
        let longest = "DPoP " + String(repeating: "x", count: 65_531)
        #expect(try Credentials.parse(longest).token68.utf8.count == 65_531)
        #expect(throws: HTTPMessageError.self) { try Credentials.parse(longest + "x") }
    }

    @Test func `printing shows no token`() throws {
        let credentials = try Credentials.parse("DPoP s3cret")
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect(!"\(credentials)\(String(reflecting: credentials))".contains("s3cret"))
    }

    @Test func `a token where the scheme belongs is not printed either`() throws {
        let credentials = try Credentials.parse("Kz8~4.17-long-access-token x")
        var printed = "\(credentials)"
        dump(credentials, to: &printed)
        #expect(!printed.contains("Kz8"))
        #expect(credentials.scheme == "Kz8~4.17-long-access-token")
    }
}
