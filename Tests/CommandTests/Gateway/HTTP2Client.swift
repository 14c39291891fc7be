// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport

/// Sends HTTP/2 requests whose fields are in any form, each on a connection of its own.
///
/// With the Python package h2 (`python3-h2` of Debian), whose checks are off.
enum HTTP2Client {
    typealias Field = (name: String, value: String)

    private struct Outcome: Decodable {
        /// 0 when the proxy closed the stream or the connection, -1 when it did nothing.
        let status: Int
        let head: String
        let body: String
        /// How many requests reached the API.
        let reached: Int
    }

    static func send(_ requests: [[Field]], to scene: GatewayScene) async throws -> [GatewayScene.Answer] {
        let input = try JSONEncoder().encode(requests.map { $0.map { [$0.name, $0.value] } })
        let process = try ChildProcess(
            "/usr/bin/python3",
            ["-I", "-c", program, "\(scene.port)", scene.directory.path + "/requests"],
            environment: ["LC_ALL": "C.UTF-8"],
            directory: scene.directory.path,
            input: String(decoding: input, as: UTF8.self)
        )
        let result = await process.result()
        guard result.status == 0 else { throw Failure(errors: result.errors) }
        return try JSONDecoder().decode([Outcome].self, from: Data(result.output.utf8))
            .map { GatewayScene.Answer(status: $0.status, head: $0.head, body: $0.body, reached: $0.reached) }
    }

    private struct Failure: Error {
        let errors: String
    }

    private static let program = #"""
        import json, os, socket, ssl, sys
        import h2.config, h2.connection, h2.events

        port, log = int(sys.argv[1]), sys.argv[2]
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])

        def count():
            return open(log).read().count("\n") if os.path.exists(log) else 0

        def exchange(fields):
            config = h2.config.H2Configuration(validate_outbound_headers=False, normalize_outbound_headers=False)
            connection = h2.connection.H2Connection(config)
            connection.initiate_connection()
            connection.send_headers(1, [(n.encode("latin-1"), v.encode("latin-1")) for n, v in fields], end_stream=True)
            status, head, body = -1, "", b""
            with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
                with context.wrap_socket(plain, server_hostname="api.example.com") as stream:
                    assert stream.selected_alpn_protocol() == "h2"
                    stream.sendall(connection.data_to_send())
                    while part := stream.recv(65536):
                        for event in connection.receive_data(part):
                            if isinstance(event, h2.events.ResponseReceived):
                                pairs = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in event.headers]
                                status = int(dict(pairs)[":status"])
                                head = "\r\n".join([f"HTTP/2 {status}"] + [f"{n}: {v}" for n, v in pairs if n[0] != ":"])
                            if isinstance(event, h2.events.DataReceived):
                                body += event.data
                            if isinstance(event, h2.events.StreamEnded):
                                return status, head, body.decode("latin-1")
                            if isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                                return max(status, 0), head, body.decode("latin-1")
                        stream.sendall(connection.data_to_send())
            return max(status, 0), head, body.decode("latin-1")

        outcomes = []
        for fields in json.load(sys.stdin):
            before = count()
            try:
                status, head, body = exchange(fields)
            except TimeoutError:
                status, head, body = -1, "", ""
            except (ConnectionError, ssl.SSLError):
                status, head, body = 0, "", ""
            outcomes.append({"status": status, "head": head, "body": body, "reached": count() - before})
        json.dump(outcomes, sys.stdout)
        """#
}
#endif
