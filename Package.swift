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

/// A library target.
///
/// `scripts/check/imports` holds its imports against the table in docs/architecture.md.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A library target with a privacy manifest, which Xcode puts into apps.
///
/// Elsewhere the file is left out: a resource would bring Foundation into every program.
func libraryWithPrivacyManifest(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    let manifest = "PrivacyInfo.xcprivacy"
    #if os(macOS)
    return .target(name: name, dependencies: dependencies, resources: [.copy(manifest)], swiftSettings: settings)
    #else
    return .target(name: name, dependencies: dependencies, exclude: [manifest], swiftSettings: settings)
    #endif
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
        // One import for each role: an app, an API, an authorization server. The others are their parts.
        .library(name: "Keybound", targets: ["Keybound"]),
        .library(name: "KeyboundAPI", targets: ["KeyboundAPI"]),
        .library(name: "KeyboundServer", targets: ["KeyboundServer"]),
        .library(name: "OAuthMiddleware", targets: ["OAuthMiddleware"]),
        .library(name: "OAuthClientMiddleware", targets: ["OAuthClientMiddleware"]),
        .library(name: "HTTPMessage", targets: ["HTTPMessage"]),
        .library(name: "OAuthSystem", targets: ["OAuthSystem"]),
        .library(name: "StrictJSON", targets: ["StrictJSON"]),
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "PKCE", targets: ["PKCE"]),
        .library(name: "DPoP", targets: ["DPoP"]),
        .library(name: "OAuthCore", targets: ["OAuthCore"]),
        .library(name: "SigningKeys", targets: ["SigningKeys"]),
        .library(name: "BatchVerification", targets: ["BatchVerification"]),
        .library(name: "OAuthTransport", targets: ["OAuthTransport"]),
        .library(name: "ResourceServer", targets: ["ResourceServer"]),
        .library(name: "ServerStorage", targets: ["ServerStorage"]),
        .library(name: "HTTPServer", targets: ["HTTPServer"]),
        .library(name: "OAuthClient", targets: ["OAuthClient"]),
        .library(name: "Gateway", targets: ["Gateway"]),
        .library(name: "RedisReplay", targets: ["RedisReplay"]),
        .library(name: "AuthorizationServer", targets: ["AuthorizationServer"]),
        .library(name: "SQLiteStorage", targets: ["SQLiteStorage"]),
        .library(name: "PostgreSQLStorage", targets: ["PostgreSQLStorage"]),
        .library(name: "OAuthTesting", targets: ["OAuthTesting"]),
        .executable(name: "keybound", targets: ["KeyboundCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["FoundationAPI"]),
        // Without it, and off Apple platforms, a program that is linked statically is 50 MB smaller: no Foundation, no ICU.
        .trait(name: "FoundationAPI", description: "URLRequest and URLSession in OAuthClient and OAuthTransport"),
        // Middleware in OAuthMiddleware. A package is fetched only for a trait that is on; none is by default.
        .trait(name: "HTTPTypes", description: "a guard for requests of swift-http-types"),
        .trait(name: "Hummingbird", description: "a guard for Hummingbird 2", enabledTraits: ["HTTPTypes"]),
        .trait(name: "Vapor", description: "a guard for Vapor 4"),
        // The same in OAuthClientMiddleware.
        .trait(name: "AsyncHTTPClient", description: "sessions for AsyncHTTPClient"),
        .trait(name: "OpenAPI", description: "sessions for clients of Swift OpenAPI Generator"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.0.0"),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.100.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.81.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.24.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime.git", from: "1.8.0"),
    ],
    targets: [
        // C libraries of the operating system; a header and a link line each.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Only headers: what speaks to keys in hardware is loaded at run time, where there is such hardware.
        .systemLibrary(name: "CPKCS11", providers: [.apt(["libp11-kit-dev"])]),
        .systemLibrary(name: "CTSS2", providers: [.apt(["libtss2-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        // Only headers as well: with libcurl come some twenty libraries, of which a server needs none.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        // C files: libmicrohttpd and libcurl have variadic functions, which Swift cannot call.
        .target(
            name: "CMicroHTTPDShim",
            dependencies: [.target(name: "CMicroHTTPD", condition: .when(platforms: [.linux]))]
        ),
        // No exit handler of OpenSSL: it frees what other threads are using.
        .target(
            name: "COpenSSLStart",
            dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))]
        ),
        .target(name: "CCurlShim", dependencies: [.target(name: "CCurl", condition: .when(platforms: [.linux]))]),
        // Loads libpq when the first database is opened.
        .target(name: "CPostgreSQLOnDemand"),
        .systemLibrary(name: "CMachine"),
        .systemLibrary(name: "CMalloc"),

        // layer 0: a target imports from lower layers only
        library("HTTPMessage"),
        libraryWithPrivacyManifest("OAuthSystem", []),
        // layer 1
        library("StrictJSON", ["OAuthSystem"]),
        library(
            "OAuthCrypto",
            [
                "OAuthSystem",
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
                .target(name: "COpenSSLStart", condition: .when(platforms: [.linux])),
            ]
        ),
        // layer 2
        library("JOSE", ["OAuthSystem", "StrictJSON", "OAuthCrypto"]),
        library("PKCE", ["OAuthSystem", "StrictJSON", "OAuthCrypto"]),
        // layer 3
        library("DPoP", ["HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE"]),
        library("OAuthCore", ["HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE"]),
        library(
            "SigningKeys",
            [
                "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE",
                .target(name: "CPKCS11", condition: .when(platforms: [.linux])),
                .target(name: "CTSS2", condition: .when(platforms: [.linux])),
            ]
        ),
        // Loads libcrypto_mb while the program runs. In a target of its own, so that nobody meets it who does not look for it.
        library("BatchVerification", ["OAuthSystem", "OAuthCrypto", "JOSE"]),
        // layer 4
        library(
            "OAuthTransport",
            [
                "HTTPMessage", "OAuthSystem", "OAuthCore",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CCurlShim", condition: .when(platforms: [.linux])),
            ]
        ),
        library(
            "ResourceServer",
            ["HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "DPoP", "OAuthCore"]
        ),
        // Loads hiredis when Redis is first used.
        library(
            "RedisReplay",
            [
                "OAuthSystem", "StrictJSON", "OAuthCrypto", "DPoP",
                .target(name: "CHiredis", condition: .when(platforms: [.linux])),
            ]
        ),
        library(
            "ServerStorage",
            ["OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys"]
        ),
        library(
            "HTTPServer",
            [
                "HTTPMessage", "OAuthSystem", .target(name: "CMicroHTTPD", condition: .when(platforms: [.linux])),
                .target(name: "CMicroHTTPDShim", condition: .when(platforms: [.linux])),
            ]
        ),
        // layer 5
        libraryWithPrivacyManifest(
            "OAuthClient",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys", "OAuthTransport",
            ]
        ),
        library(
            "AuthorizationServer",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys", "ResourceServer", "ServerStorage",
            ]
        ),
        library(
            "Gateway",
            ["HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "DPoP", "OAuthCore", "ResourceServer"]
        ),
        library(
            "SQLiteStorage",
            [
                "OAuthSystem", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "ServerStorage",
                .target(name: "CSQLite", condition: .when(platforms: [.linux])),
            ]
        ),
        library(
            "PostgreSQLStorage",
            [
                "OAuthSystem", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "ServerStorage",
                .target(name: "CPostgreSQL", condition: .when(platforms: [.linux])),
                .target(name: "CPostgreSQLOnDemand", condition: .when(platforms: [.linux])),
            ]
        ),
        // layer 6
        library(
            "OAuthTesting",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "DPoP", "OAuthCore", "SigningKeys",
                "OAuthTransport", "ResourceServer", "ServerStorage", "OAuthClient", "AuthorizationServer",
            ]
        ),
        library("Keybound", ["OAuthCore", "SigningKeys", "OAuthClient"]),
        library("KeyboundAPI", ["HTTPMessage", "DPoP", "OAuthCore", "OAuthTransport", "ResourceServer"]),
        library(
            "KeyboundServer",
            [
                "HTTPMessage", "OAuthSystem", "JOSE", "DPoP", "OAuthCore", "SigningKeys", "ServerStorage",
                "AuthorizationServer", "SQLiteStorage", "HTTPServer",
            ]
        ),
        // Empty without a trait.
        library(
            "OAuthMiddleware",
            [
                "HTTPMessage", "ResourceServer",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Hummingbird"])),
                .product(name: "Vapor", package: "vapor", condition: .when(traits: ["Vapor"])),
            ]
        ),
        library(
            "OAuthClientMiddleware",
            [
                "HTTPMessage", "OAuthClient",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["OpenAPI"])),
                .product(
                    name: "OpenAPIRuntime",
                    package: "swift-openapi-runtime",
                    condition: .when(traits: ["OpenAPI"])
                ),
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])
                ),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
            ]
        ),
        // Not named like the command: where file names ignore case, its module and Keybound's would be one file.
        .executableTarget(
            name: "KeyboundCommand",
            dependencies: [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys", "BatchVerification", "OAuthTransport", "ResourceServer", "ServerStorage", "HTTPServer",
                "OAuthClient", "AuthorizationServer", "Gateway", "RedisReplay", "SQLiteStorage",
                "PostgreSQLStorage",
                .target(name: "CMachine", condition: .when(platforms: [.linux])),
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings
        ),

        // An MCP server, as an example: docs/mcp.md.
        .executableTarget(
            name: "mcp-notes",
            dependencies: ["HTTPMessage", "StrictJSON", "OAuthCore", "OAuthTransport", "ResourceServer", "HTTPServer"],
            path: "Examples/MCPServer",
            swiftSettings: settings
        ),

        // An app and an API, as examples.
        .executableTarget(
            name: "notes-cli",
            // What an umbrella hands on is named too: SwiftPM builds a target again only if a module that it names changed.
            dependencies: ["Keybound", "OAuthCore", "SigningKeys", "OAuthClient"],
            path: "Examples/CommandLine",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "notes-api",
            dependencies: [
                "HTTPServer", "KeyboundAPI", "HTTPMessage", "DPoP", "OAuthCore", "OAuthTransport", "ResourceServer",
            ],
            path: "Examples/API",
            swiftSettings: settings
        ),

        // How fast the core is, beside the C calls it stands on: `make bench`.
        .executableTarget(
            name: "bench",
            dependencies: [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys", "BatchVerification", "ResourceServer", "Gateway", "HTTPServer", "OAuthClient",
                "ServerStorage", "PostgreSQLStorage",
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
            dependencies: ["HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "DPoP", "BatchVerification"],
            path: "Tests/TestSupport",
            exclude: ["Vectors/README.md"],
            resources: [
                .copy("Vectors/peers.json"), .copy("Vectors/rfc.json"), .copy("Vectors/signatures.json"),
            ],
            swiftSettings: settings
        ),
        // A server on a socket that answers whatever a test wants.
        .target(
            name: "SocketSupport",
            dependencies: ["OAuthCore", "OAuthTransport", "OAuthClient"],
            path: "Tests/SocketSupport",
            swiftSettings: settings
        ),
        // What every storage driver must do: one suite, run against each of them.
        .target(
            name: "StorageSuite",
            dependencies: [
                "OAuthSystem", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "ServerStorage",
                "AuthorizationServer", "TestSupport",
            ],
            path: "Tests/StorageSuite",
            swiftSettings: settings
        ),
        // What every store of keys must do: one suite, run against each of them.
        .target(
            name: "KeyStoreSuite",
            dependencies: ["OAuthSystem", "StrictJSON", "JOSE", "SigningKeys"],
            path: "Tests/KeyStoreSuite",
            swiftSettings: settings
        ),
        // What every verifier of proofs must refuse: made for the verifier itself, and sent to servers.
        .target(
            name: "ProofSuite",
            dependencies: ["HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "DPoP", "TestSupport"],
            path: "Tests/ProofSuite",
            swiftSettings: settings
        ),
        // Servers on sockets for tests, with each storage driver.
        .target(
            name: "ServerStage",
            dependencies: [
                "HTTPMessage", "ServerStorage", "HTTPServer", "AuthorizationServer", "SQLiteStorage", "TestSupport",
            ],
            path: "Tests/ServerStage",
            swiftSettings: settings
        ),
        tests("HTTPMessage", ["TestSupport"]),
        tests("OAuthSystem", ["OAuthCrypto", "JOSE", "TestSupport"]),
        tests("StrictJSON", ["JOSE", "TestSupport"]),
        tests("OAuthCrypto", ["OAuthSystem", "TestSupport"]),
        tests(
            "JOSE",
            [
                "OAuthSystem", "StrictJSON", "OAuthCrypto", "TestSupport",
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
            ]
        ),
        tests("PKCE", ["OAuthSystem", "StrictJSON", "JOSE", "TestSupport"]),
        tests(
            "DPoP",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "BatchVerification", "ProofSuite",
                "TestSupport",
            ]
        ),
        tests("OAuthCore", ["HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "TestSupport"]),
        tests("SigningKeys", ["OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "KeyStoreSuite", "TestSupport"]),
        tests("BatchVerification", ["OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "TestSupport"]),
        tests(
            "OAuthTransport",
            ["HTTPMessage", "JOSE", "OAuthCore", "HTTPServer", "OAuthClient", "SocketSupport", "TestSupport"]
        ),
        tests(
            "ResourceServer",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "DPoP", "OAuthCore", "BatchVerification",
                "TestSupport",
            ]
        ),
        tests(
            "ServerStorage",
            [
                "HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "AuthorizationServer", "ServerStage",
                "StorageSuite", "TestSupport",
            ]
        ),
        tests("HTTPServer", ["HTTPMessage", "TestSupport"]),
        tests("KeyboundAPI", ["DPoP", "JOSE", "OAuthSystem", "StrictJSON", "TestSupport"]),
        tests(
            "OAuthClient",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys",
                "OAuthTransport", "HTTPServer", "KeyStoreSuite", "SocketSupport", "TestSupport",
            ]
        ),
        tests(
            "AuthorizationServer",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys",
                "BatchVerification", "ServerStorage", "ServerStage", "StorageSuite", "TestSupport",
            ]
        ),
        tests(
            "SQLiteStorage",
            [
                "OAuthSystem", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "ServerStorage",
                "AuthorizationServer", "StorageSuite", "TestSupport",
            ]
        ),
        tests(
            "PostgreSQLStorage",
            [
                "OAuthSystem", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "ServerStorage",
                "AuthorizationServer", "StorageSuite", "PostgreSQLServer", "TestSupport",
            ]
        ),
        // A PostgreSQL server that tests start themselves.
        .target(
            name: "PostgreSQLServer",
            dependencies: [
                "ServerStorage", "PostgreSQLStorage", "TestSupport",
                .target(name: "CPostgreSQL", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/PostgreSQLServer",
            swiftSettings: settings
        ),
        tests(
            "RedisReplay",
            ["OAuthSystem", "StrictJSON", "JOSE", "DPoP", "OAuthCore", "ResourceServer", "RedisServer", "TestSupport"]
        ),
        // A Redis that tests start themselves.
        .target(
            name: "RedisServer",
            dependencies: ["TestSupport"],
            path: "Tests/RedisServer",
            swiftSettings: settings
        ),
        tests(
            "Gateway",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "DPoP", "OAuthCore", "ResourceServer", "HTTPServer",
                "TestSupport",
            ]
        ),
        tests(
            "OAuthTesting",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "DPoP", "OAuthCore", "SigningKeys",
                "OAuthTransport", "ResourceServer", "ServerStorage", "OAuthClient", "AuthorizationServer",
            ]
        ),
        // The built command, as a user meets it.
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "DPoP", "OAuthCore", "SigningKeys",
                "BatchVerification",
                "OAuthTransport", "ResourceServer", "HTTPServer", "OAuthClient", "KeyboundCommand", "mcp-notes",
                "notes-api", "notes-cli",
                "PostgreSQLServer", "RedisServer", "SocketSupport", "TestSupport",
            ],
            resources: [.copy("Scripts")],
            swiftSettings: settings
        ),
        // The whole flow over real sockets, and the built command.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys", "OAuthTransport", "ResourceServer", "ServerStorage", "HTTPServer", "OAuthClient",
                "AuthorizationServer", "SQLiteStorage", "KeyboundCommand", "ProofSuite", "ServerStage", "TestSupport",
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
            dependencies: [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "BatchVerification", "TestSupport",
            ],
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

// `scripts/test --filter DPoPTests` builds the named test targets and what they stand on, and nothing else.
if let names = Context.environment["KEYBOUND_ONLY"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard let target = targets[name], kept.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): keep(name)
            default: break
            }
        }
    }
    for name in names.split(separator: ",") { keep(String(name)) }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
    // A package that no target names is fetched, since no trait that is off stands before it.
    let used = package.targets.flatMap(\.dependencies).compactMap { dependency -> String? in
        if case .productItem(_, let package, _, _) = dependency { package } else { nil }
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !used.contains { location.hasSuffix("/\($0).git") }
    }
}
