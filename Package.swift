// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// What every Swift target is compiled with, from the first commit: switched on later, each of these costs a rewrite.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A library target of the house.
///
/// `scripts/check/imports` holds its imports against the table in docs/architecture.md.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of one target, in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name)] + dependencies,
        resources: resources,
        swiftSettings: settings
    )
}

let package = Package(
    name: "keybound",
    platforms: [.macOS(.v15), .iOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "HTTPMessage", targets: ["HTTPMessage"]),
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "PKCE", targets: ["PKCE"]),
        .library(name: "DPoP", targets: ["DPoP"]),
        .library(name: "OAuthCore", targets: ["OAuthCore"]),
        .library(name: "SigningKeys", targets: ["SigningKeys"]),
        .library(name: "OAuthClient", targets: ["OAuthClient"]),
        .library(name: "ResourceServer", targets: ["ResourceServer"]),
        .library(name: "AuthorizationServer", targets: ["AuthorizationServer"]),
        .library(name: "HTTPServer", targets: ["HTTPServer"]),
        .library(name: "OAuthStorage", targets: ["OAuthStorage"]),
        .library(name: "OAuthTesting", targets: ["OAuthTesting"]),
        .executable(name: "keybound", targets: ["keybound"]),
    ],
    targets: [
        // C libraries of the operating system; a header and a link line each.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Only headers: what speaks to keys in hardware is loaded at run time, where there is such hardware.
        .systemLibrary(name: "CPKCS11", providers: [.apt(["libp11-kit-dev"])]),
        .systemLibrary(name: "CTSS2", providers: [.apt(["libtss2-dev"])]),
        // Only headers as well: with libcurl come some twenty libraries, of which a server needs none.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // C files: libmicrohttpd and libcurl have variadic functions, which Swift cannot call.
        .target(
            name: "CMicroHTTPDShim",
            dependencies: [.target(name: "CMicroHTTPD", condition: .when(platforms: [.linux]))]
        ),
        .target(name: "CCurlShim", dependencies: [.target(name: "CCurl", condition: .when(platforms: [.linux]))]),
        // For the command alone: libcurl's functions for the URLSession that is linked in, which load libcurl when called.
        .target(name: "CCurlOnDemand"),
        .systemLibrary(name: "CMalloc"),

        // floor 0
        library("HTTPMessage"),
        library("OAuthCrypto", [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))]),
        library("JOSE", ["OAuthCrypto"]),
        // floor 1
        library("PKCE", ["JOSE", "OAuthCrypto"]),
        library("DPoP", ["JOSE", "OAuthCrypto", "HTTPMessage"]),
        // floor 2
        library("OAuthCore", ["JOSE", "HTTPMessage"]),
        library(
            "SigningKeys",
            [
                "JOSE", "OAuthCrypto",
                .target(name: "CPKCS11", condition: .when(platforms: [.linux])),
                .target(name: "CTSS2", condition: .when(platforms: [.linux])),
            ]
        ),
        // floor 3
        library(
            "OAuthClient",
            [
                "HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CCurlShim", condition: .when(platforms: [.linux])),
            ]
        ),
        library("ResourceServer", ["HTTPMessage", "OAuthCrypto", "JOSE", "DPoP", "OAuthCore"]),
        library(
            "AuthorizationServer",
            ["HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "ResourceServer"]
        ),
        library(
            "HTTPServer",
            [
                "HTTPMessage",
                .target(name: "CMicroHTTPD", condition: .when(platforms: [.linux])),
                .target(name: "CMicroHTTPDShim", condition: .when(platforms: [.linux])),
            ]
        ),
        // floor 4
        library(
            "OAuthStorage",
            [
                "AuthorizationServer", "DPoP", "JOSE", "OAuthCore", "PKCE", "SigningKeys",
                .target(name: "CSQLite", condition: .when(platforms: [.linux])),
            ]
        ),
        library(
            "OAuthTesting",
            [
                "HTTPMessage", "OAuthCrypto", "JOSE", "DPoP", "OAuthCore", "SigningKeys", "OAuthClient",
                "ResourceServer",
                "AuthorizationServer",
            ]
        ),
        // floor 5
        .executableTarget(
            name: "keybound",
            dependencies: [
                "HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "OAuthClient",
                "ResourceServer",
                "AuthorizationServer", "HTTPServer", "OAuthStorage",
                .target(name: "CCurlOnDemand", condition: .when(platforms: [.linux])),
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings
        ),

        // How fast the core is, beside the C calls it stands on: `make bench`.
        .executableTarget(
            name: "bench",
            dependencies: [
                "HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "OAuthClient",
                "HTTPServer", "ResourceServer",
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
                .target(name: "CPKCS11", condition: .when(platforms: [.linux])),
                .target(name: "CTSS2", condition: .when(platforms: [.linux])),
            ],
            path: "Benchmarks",
            exclude: ["Peers", "Size"],
            swiftSettings: settings
        ),

        // What several test targets share: a fixed clock, seeded randomness.
        .target(
            name: "TestSupport",
            dependencies: ["DPoP", "JOSE", "HTTPMessage"],
            path: "Tests/TestSupport",
            exclude: ["Vectors/README.md"],
            resources: [
                .copy("Vectors/peers.json"), .copy("Vectors/rfc.json"), .copy("Vectors/signatures.json"),
            ],
            swiftSettings: settings
        ),
        // What every storage driver must do: one suite, run against each of them.
        .target(
            name: "StorageSuite",
            dependencies: [
                "AuthorizationServer", "DPoP", "JOSE", "OAuthCore", "PKCE", "SigningKeys", "TestSupport",
            ],
            path: "Tests/StorageSuite",
            swiftSettings: settings
        ),
        // What every store of keys must do: one suite, run against each of them.
        .target(
            name: "KeyStoreSuite",
            dependencies: ["JOSE", "SigningKeys"],
            path: "Tests/KeyStoreSuite",
            swiftSettings: settings
        ),
        // What every verifier of proofs must refuse: made for the verifier itself, and sent to servers.
        .target(
            name: "ProofSuite",
            dependencies: ["HTTPMessage", "JOSE", "OAuthCrypto", "DPoP", "TestSupport"],
            path: "Tests/ProofSuite",
            swiftSettings: settings
        ),
        // Servers on sockets for tests, with each storage driver.
        .target(
            name: "ServerStage",
            dependencies: ["AuthorizationServer", "HTTPMessage", "HTTPServer", "OAuthStorage", "TestSupport"],
            path: "Tests/ServerStage",
            swiftSettings: settings
        ),
        tests("HTTPMessage", ["TestSupport"]),
        tests("OAuthCrypto", ["TestSupport"]),
        tests(
            "JOSE",
            ["OAuthCrypto", "TestSupport", .target(name: "COpenSSL", condition: .when(platforms: [.linux]))]
        ),
        tests("PKCE", ["JOSE", "TestSupport"]),
        tests("DPoP", ["JOSE", "OAuthCrypto", "HTTPMessage", "TestSupport", "ProofSuite"]),
        tests("OAuthCore", ["JOSE", "HTTPMessage", "TestSupport"]),
        tests("SigningKeys", ["JOSE", "OAuthCrypto", "KeyStoreSuite", "TestSupport"]),
        tests(
            "OAuthClient",
            [
                "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "HTTPMessage", "HTTPServer", "KeyStoreSuite",
                "TestSupport",
            ]
        ),
        tests("ResourceServer", ["JOSE", "DPoP", "OAuthCore", "HTTPMessage", "TestSupport"]),
        tests(
            "AuthorizationServer",
            [
                "JOSE", "PKCE", "DPoP", "OAuthCore", "HTTPMessage", "SigningKeys", "TestSupport", "StorageSuite",
                "ServerStage",
            ]
        ),
        tests("HTTPServer", ["HTTPMessage", "TestSupport"]),
        tests(
            "OAuthStorage",
            ["AuthorizationServer", "JOSE", "DPoP", "OAuthCore", "PKCE", "TestSupport", "StorageSuite"]
        ),
        tests(
            "OAuthTesting",
            [
                "HTTPMessage", "JOSE", "DPoP", "OAuthCore", "SigningKeys", "OAuthClient", "ResourceServer",
                "AuthorizationServer",
            ]
        ),
        // The built command, as a user meets it.
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "HTTPMessage", "HTTPServer", "JOSE", "OAuthClient", "OAuthCore", "ResourceServer", "SigningKeys",
                "TestSupport", "keybound",
            ],
            resources: [.copy("Scripts")],
            swiftSettings: settings
        ),
        // The whole flow over real sockets, and the built command.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "OAuthClient",
                "ResourceServer",
                "AuthorizationServer", "HTTPServer", "OAuthStorage", "TestSupport", "ProofSuite", "ServerStage",
                "keybound",
            ],
            swiftSettings: settings
        ),
    ],
    cLanguageStandard: .c11
)

// Only `scripts/fuzz` builds these: `fuzz` links libFuzzer, whose own main function starts it.
if Context.environment["KEYBOUND_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
        .target(
            name: "FuzzTargets",
            dependencies: ["DPoP", "HTTPMessage", "JOSE", "OAuthCore", "OAuthCrypto", "PKCE", "TestSupport"],
            path: "Fuzz/Targets",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: ["CFuzzer", "FuzzTargets", "TestSupport"],
            path: "Fuzz/Runner",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "mutations",
            dependencies: ["DPoP", "TestSupport"],
            path: "Fuzz/Mutations",
            swiftSettings: settings
        ),
    ]
}
