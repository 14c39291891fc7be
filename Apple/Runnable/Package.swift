// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// What only Apple platforms compile, run on Linux: the real sources (`Sources` is a link) against stand-ins for Apple's
// frameworks. Never part of what the project offers. The stand-ins have names of their own, and are Apple's by an alias
// where the adapters are: the rest of the sources is that of Linux.

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], standIns: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies + standIns.map { .target(name: "StandIn" + $0) },
        path: "Sources/" + name,
        swiftSettings: settings + aliases(standIns)
    )
}

/// Tests have to name what they link.
func aliases(_ frameworks: [String]) -> [SwiftSetting] {
    frameworks.map { .unsafeFlags(["-module-alias", "\($0)=StandIn\($0)"]) }
}

func standIn(_ name: String, _ dependencies: [Target.Dependency] = [], mode: SwiftLanguageMode = .v6) -> Target {
    .target(
        name: "StandIn" + name,
        dependencies: dependencies,
        path: "Stubs/" + name,
        swiftSettings: [
            .swiftLanguageMode(mode), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
        ]
    )
}

let package = Package(
    name: "apple-adapters",
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CCurl", path: "Sources/CCurl"),
        .systemLibrary(name: "CPKCS11", path: "Sources/CPKCS11"),
        .systemLibrary(name: "CTSS2", path: "Sources/CTSS2"),
        .target(name: "CCurlShim", dependencies: ["CCurl"], path: "Sources/CCurlShim"),

        library("HTTPMessage"),
        library("OAuthSystem"),
        library("StrictJSON", ["OAuthSystem"]),
        library("OAuthCrypto", ["OAuthSystem", "COpenSSL"]),
        library("JOSE", ["OAuthSystem", "StrictJSON", "OAuthCrypto"]),
        library("PKCE", ["OAuthSystem", "StrictJSON", "OAuthCrypto"]),
        library("DPoP", ["HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE"]),
        library("OAuthCore", ["HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE"]),
        library(
            "SigningKeys",
            ["OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "CPKCS11", "CTSS2"],
            standIns: ["CryptoKit", "Security", "LocalAuthentication"]
        ),
        library("OAuthTransport", ["HTTPMessage", "OAuthSystem", "OAuthCore", "CCurl", "CCurlShim"]),
        library(
            "OAuthClient",
            [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore",
                "SigningKeys", "OAuthTransport",
            ],
            standIns: ["Security", "AuthenticationServices"]
        ),
        .target(
            name: "KeyStoreSuite",
            dependencies: ["OAuthSystem", "StrictJSON", "JOSE", "SigningKeys"],
            path: "KeyStoreSuite",
            swiftSettings: settings
        ),

        .target(
            name: "ExampleActivity",
            path: "Example",
            sources: ["ExpiringActivity.swift"],
            swiftSettings: settings
        ),

        standIn("LocalAuthentication"),
        standIn("Security"),
        standIn("CryptoKit", ["OAuthSystem", "OAuthCrypto", "StandInSecurity", "StandInLocalAuthentication"]),
        standIn("UIKit"),
        // Of Swift 5, like the original: calls of closures are then not checked by the compiler, but when they happen.
        standIn("AuthenticationServices", ["StandInUIKit"], mode: .v5),

        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "HTTPMessage", "OAuthSystem", "StrictJSON", "JOSE", "KeyStoreSuite", "OAuthTransport", "OAuthClient",
                "OAuthCore", "SigningKeys", "ExampleActivity",
                "StandInAuthenticationServices", "StandInCryptoKit", "StandInLocalAuthentication", "StandInSecurity",
                "StandInUIKit",
            ],
            swiftSettings: settings
                + aliases(["CryptoKit", "Security", "LocalAuthentication", "UIKit", "AuthenticationServices"])
        ),
    ],
    cLanguageStandard: .c11
)
