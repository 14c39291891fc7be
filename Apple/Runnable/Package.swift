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
        library("OAuthCrypto", ["COpenSSL"]),
        library("JOSE", ["OAuthCrypto"]),
        library("PKCE", ["JOSE", "OAuthCrypto"]),
        library("DPoP", ["JOSE", "OAuthCrypto", "HTTPMessage"]),
        library("OAuthCore", ["JOSE", "HTTPMessage"]),
        library(
            "SigningKeys",
            ["JOSE", "OAuthCrypto", "CPKCS11", "CTSS2"],
            standIns: ["CryptoKit", "Security", "LocalAuthentication"]
        ),
        library(
            "OAuthClient",
            [
                "HTTPMessage", "OAuthCrypto", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys", "CCurl", "CCurlShim",
            ],
            standIns: ["Security", "AuthenticationServices"]
        ),
        .target(
            name: "KeyStoreSuite",
            dependencies: ["JOSE", "SigningKeys"],
            path: "KeyStoreSuite",
            swiftSettings: settings
        ),

        standIn("LocalAuthentication"),
        standIn("Security"),
        standIn("CryptoKit", ["OAuthCrypto", "StandInSecurity", "StandInLocalAuthentication"]),
        standIn("UIKit"),
        // Of Swift 5, like the original: calls of closures are then not checked by the compiler, but when they happen.
        standIn("AuthenticationServices", ["StandInUIKit"], mode: .v5),

        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "HTTPMessage", "JOSE", "KeyStoreSuite", "OAuthClient", "OAuthCore", "SigningKeys",
                "StandInAuthenticationServices", "StandInCryptoKit", "StandInLocalAuthentication", "StandInSecurity",
                "StandInUIKit",
            ],
            swiftSettings: settings
                + aliases(["CryptoKit", "Security", "LocalAuthentication", "UIKit", "AuthenticationServices"])
        ),
    ],
    cLanguageStandard: .c11
)
