// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrictJSON

/// The server to put under load, and how; `scripts/bench-server` writes it.
struct LoadPlan: Sendable {
    let process: Int32
    let port: UInt16
    /// The port of another process that serves the same database; for races only.
    let otherPort: UInt16?
    /// The ports of load balancers, and of the processes behind them; for clusters only.
    let proxies: [UInt16]
    let nodes: [UInt16]
    /// A device that a user has allowed, and its client; for races only.
    let device: (client: String, code: String)?
    /// Everything before the paths, as it appears in proofs.
    let origin: String
    let authorizePath: String
    let tokenPath: String
    let pushPath: String
    let userInfoPath: String
    let scope: String
    let publicClient: String
    let redirectURI: String
    /// The cookie of a browser in which a user has signed in and consented.
    let cookie: String
    /// The browser's parameters in addition to the client's request, starting with `&`.
    let authorizeSuffix: String
    let confidentialClient: String
    let secret: String
    let serviceScope: String
    /// An app that asks for the password itself, and a user; `nil` if it is not measured.
    let firstParty: (client: String, username: String, password: String)?
    /// An API whose requests are checked before it, and the processes that are measured for it; `nil` for the server itself.
    let api: (port: UInt16, address: String, processes: [Int32])?
    let rows: [LoadRow]
    let workers: Int
    let seconds: Double

    init(reading path: String) throws {
        let file = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path)))).objectValue ?? [:]
        func text(_ name: String) throws -> String {
            guard let value = file[name]?.stringValue else { throw BenchmarkError("the plan has no \(name)") }
            return value
        }
        func number(_ name: String) throws -> Int64 {
            guard let value = file[name]?.integerValue else { throw BenchmarkError("the plan has no \(name)") }
            return value
        }
        process = Int32(try number("process"))
        port = UInt16(try number("port"))
        otherPort = file["otherPort"]?.integerValue.map { UInt16($0) }
        func ports(_ name: String) -> [UInt16] {
            (file[name]?.arrayValue ?? []).compactMap { $0.integerValue.map { UInt16($0) } }
        }
        (proxies, nodes) = (ports("proxies"), ports("nodes"))
        device = try file["deviceCode"].map { _ in (try text("deviceClient"), try text("deviceCode")) }
        (origin, authorizePath) = (try text("origin"), try text("authorizePath"))
        (tokenPath, userInfoPath) = (try text("tokenPath"), try text("userInfoPath"))
        pushPath = try text("pushPath")
        (scope, publicClient) = (try text("scope"), try text("publicClient"))
        (redirectURI, cookie) = (try text("redirectURI"), try text("cookie"))
        authorizeSuffix = try text("authorizeSuffix")
        (confidentialClient, secret) = (try text("confidentialClient"), try text("secret"))
        serviceScope = try text("serviceScope")
        firstParty = try file["firstPartyClient"].map { _ in
            (try text("firstPartyClient"), try text("username"), try text("password"))
        }
        api = try file["apiPort"].map { _ in
            let processes = (file["apiProcesses"]?.arrayValue ?? []).compactMap(\.integerValue).map { Int32($0) }
            return (UInt16(try number("apiPort")), try text("apiAddress"), processes)
        }
        rows = try (file["rows"]?.arrayValue ?? []).map { value in
            guard let row = value.stringValue.flatMap({ LoadRow(rawValue: $0) }) else {
                throw BenchmarkError("the plan has a row that does not exist")
            }
            return row
        }
        workers = Int(try number("workers"))
        seconds = Double(try number("milliseconds")) / 1000
    }
}
