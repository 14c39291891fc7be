// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

/// A reverse proxy of Debian, started for one test with the configuration that `keybound gateway config` prints.
struct Proxy: Sendable, CustomTestStringConvertible {
    let name: String
    private let program: String

    static let nginx = Proxy(name: "nginx", program: "/usr/sbin/nginx")
    static let caddy = Proxy(name: "caddy", program: "/usr/bin/caddy")
    static let haproxy = Proxy(name: "haproxy", program: "/usr/sbin/haproxy")
    static let all = [nginx, caddy, haproxy]

    var testDescription: String { name }

    /// Starts it; the program must be installed (scripts/bootstrap).
    func start(_ configuration: String, in directory: TemporaryDirectory) throws -> ChildProcess {
        let file = directory.path + "/proxy.conf"
        try directory.write(
            name == "nginx" ? Self.nginxFile(configuration, directory) : configuration,
            to: "proxy.conf"
        )
        let arguments =
            switch name {
            case "nginx": ["-p", directory.path, "-c", file, "-e", directory.path + "/nginx.log"]
            case "caddy": ["run", "--config", file, "--adapter", "caddyfile"]
            default: ["-f", file]
            }
        return try ChildProcess(
            program,
            arguments,
            environment: ["PATH": "/usr/sbin:/usr/bin:/bin", "HOME": directory.path, "XDG_DATA_HOME": directory.path],
            directory: directory.path
        )
    }

    /// What Debian's nginx.conf has around the files of conf.d.
    private static func nginxFile(_ configuration: String, _ directory: TemporaryDirectory) -> String {
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory.path)/\($0);" }.joined(separator: " ")
        return """
            daemon off; worker_processes 1; pid \(directory.path)/nginx.pid; error_log \(directory.path)/nginx.log;
            events { worker_connections 256; }
            http { access_log off; \(places)
            \(configuration)
            }
            """
    }
}
#endif
