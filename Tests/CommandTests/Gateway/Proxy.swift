// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

/// A reverse proxy, started for one test with the configuration that `keybound gateway config` prints.
struct Proxy: Sendable, CustomTestStringConvertible {
    /// In what a proxy differs from the others.
    struct Facts: Sendable {
        /// Whether it can connect to a unix socket.
        var hasUnixSockets = true
        /// Whether it ends when it is asked to: a child inherits which signals are blocked, and Envoy lets SIGTERM stay so.
        var endsWhenAsked = true
        /// Whether it answers 404 until it has read all of its configuration, though it listens.
        var readsWhileListening = false
        /// The status while the gateway is down.
        var unavailable = 503
        /// The status for a host that is no API's.
        var otherHost = 421
        /// Whether the API gets the path byte for byte; otherwise what RFC 3986 section 6.2.2 makes of it.
        var keepsPaths = true
        /// The status of a preflight that it answers itself.
        var preflight = 204
        /// Whether only responses to scripts of the one origin name it, and say what else they may read.
        var comparesOrigins = false
        /// The ending of its file: Traefik reads only one that it knows.
        var fileEnding = "conf"
    }

    let name: String
    let facts: Facts
    private let program: String

    static let nginx = Proxy(name: "nginx", facts: Facts(), program: "/usr/sbin/nginx")
    static let caddy = Proxy(name: "caddy", facts: Facts(), program: "/usr/bin/caddy")
    static let haproxy = Proxy(name: "haproxy", facts: Facts(), program: "/usr/sbin/haproxy")
    static let envoy = Proxy(name: "envoy", facts: Facts(endsWhenAsked: false), program: installed("envoy"))
    static let traefik = Proxy(
        name: "traefik",
        facts: Facts(
            hasUnixSockets: false,
            readsWhileListening: true,
            unavailable: 500,
            otherHost: 404,
            keepsPaths: false,
            preflight: 200,
            comparesOrigins: true,
            fileEnding: "yaml"
        ),
        program: installed("traefik")
    )
    static let all = [nginx, caddy, haproxy, envoy, traefik]

    var testDescription: String { name }

    /// A program that Debian does not have (scripts/bootstrap).
    private static func installed(_ name: String) -> String {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return root.appending(path: ".build/proxies/bin/\(name)").path
    }

    /// Starts it; the program must be installed (scripts/bootstrap).
    func start(_ configuration: String, in directory: TemporaryDirectory) throws -> ChildProcess {
        let fileName = "proxy." + facts.fileEnding
        let file = directory.path + "/" + fileName
        let text =
            switch name {
            case "nginx": Self.nginxFile(configuration, directory)
            // The file names itself.
            case "traefik": configuration.replacing("/etc/traefik/traefik.yaml", with: file)
            case "haproxy": Self.haproxyFile(configuration)
            default: configuration
            }
        try directory.write(text, to: fileName)
        let arguments =
            switch name {
            case "nginx": ["-p", directory.path, "-c", file, "-e", directory.path + "/nginx.log"]
            case "caddy": ["run", "--config", file, "--adapter", "caddyfile"]
            case "haproxy": ["-f", file]
            case "envoy":
                ["--config-yaml", text, "--disable-hot-restart", "--concurrency", "2", "--log-level", "error"]
            default: ["--configfile=\(file)"]
            }
        return try ChildProcess(
            program,
            arguments,
            environment: ["PATH": "/usr/sbin:/usr/bin:/bin", "HOME": directory.path, "XDG_DATA_HOME": directory.path],
            directory: directory.path
        )
    }

    /// With a group that is there without the package; only root can become another user at all.
    private static func haproxyFile(_ configuration: String) -> String {
        guard geteuid() == 0 else {
            return configuration.replacing("    user haproxy\n", with: "").replacing("    group keybound\n", with: "")
        }
        return configuration.replacing("    group keybound\n", with: "    group haproxy\n")
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
