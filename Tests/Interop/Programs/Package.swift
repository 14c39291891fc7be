// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own: it uses Keybound as its users do, through the products, and `make test` need not build it.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func keybound(_ product: String) -> Target.Dependency {
    .product(name: product, package: "keybound")
}

let package = Package(
    name: "keybound-interop",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "keybound", path: "../../..")],
    targets: [
        .executableTarget(
            name: "interop-servers",
            dependencies: [
                keybound("HTTPMessage"), keybound("OAuthSystem"), keybound("StrictJSON"), keybound("JOSE"),
                keybound("DPoP"),
                keybound("OAuthCore"), keybound("ResourceServer"), keybound("ServerStorage"), keybound("HTTPServer"),
                keybound("OAuthClient"), keybound("AuthorizationServer"),
            ],
            path: "Servers",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "interop-sign-in",
            dependencies: [
                "Reporting", keybound("HTTPMessage"), keybound("OAuthSystem"), keybound("StrictJSON"), keybound("JOSE"),
                keybound("OAuthCore"), keybound("OAuthTransport"), keybound("OAuthClient"),
            ],
            path: "SignIn",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "interop-grants",
            dependencies: [
                "Reporting", keybound("OAuthSystem"), keybound("StrictJSON"), keybound("JOSE"), keybound("OAuthCore"),
                keybound("OAuthTransport"), keybound("OAuthClient"),
            ],
            path: "Grants",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "interop-client-certificate",
            dependencies: [
                "Reporting", keybound("HTTPMessage"), keybound("OAuthSystem"), keybound("StrictJSON"), keybound("JOSE"),
                keybound("OAuthCore"), keybound("OAuthTransport"), keybound("OAuthClient"),
            ],
            path: "ClientCertificate",
            swiftSettings: settings
        ),
        .target(
            name: "Reporting",
            dependencies: [keybound("StrictJSON"), keybound("JOSE")],
            path: "Reporting",
            swiftSettings: settings
        ),
    ]
)
