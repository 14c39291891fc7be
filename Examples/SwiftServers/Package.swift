// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// The same API twice: with Hummingbird and with Vapor. `scripts/middleware` builds both and attacks them. Take the
// package by its URL and version where this says `path:`.

import PackageDescription

let package = Package(
    name: "notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "keybound", path: "../..", traits: [.defaults, "Hummingbird", "Vapor"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.0.0"),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.100.0"),
    ],
    targets: [
        .executableTarget(
            name: "HummingbirdNotes",
            dependencies: [
                .product(name: "KeyboundAPI", package: "keybound"),
                .product(name: "OAuthMiddleware", package: "keybound"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Hummingbird"
        ),
        .executableTarget(
            name: "VaporNotes",
            dependencies: [
                .product(name: "KeyboundAPI", package: "keybound"),
                .product(name: "OAuthMiddleware", package: "keybound"),
                .product(name: "Vapor", package: "vapor"),
            ],
            path: "Vapor"
        ),
    ]
)
