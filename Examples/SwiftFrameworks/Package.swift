// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// The same API twice, with Hummingbird and with Vapor, and a program that calls it with AsyncHTTPClient and as generated clients
// do. `scripts/middleware` builds all of it and runs it. Take the package by its URL and version where this says `path:`.

import PackageDescription

let package = Package(
    name: "notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "keybound",
            path: "../..",
            traits: [.defaults, "Hummingbird", "Vapor", "AsyncHTTPClient", "OpenAPI"]
        ),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.0.0"),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.100.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.24.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime.git", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-openapi-async-http-client.git", from: "1.1.0"),
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
        .executableTarget(
            name: "ClientNotes",
            dependencies: [
                .product(name: "Keybound", package: "keybound"),
                .product(name: "OAuthClientMiddleware", package: "keybound"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
                .product(name: "OpenAPIAsyncHTTPClient", package: "swift-openapi-async-http-client"),
            ],
            path: "Clients"
        ),
    ]
)
