// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport

/// An API behind a proxy that answers with what it received, and writes a line for each request into a file.
final class EchoAPI: Sendable {
    /// What the API received.
    struct Received: Decodable {
        /// The request line.
        let line: String
        /// Names and values as they came.
        let fields: [[String]]
        /// The fields as CGI and WSGI programs name them.
        let wsgi: [String: String]
        /// The length of the body.
        let body: Int

        func values(_ name: String) -> [String] {
            fields.filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
        }
    }

    let port: UInt16
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    init(in directory: TemporaryDirectory) async throws {
        port = FreePort.next()
        self.directory = directory
        process = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-I", "-u", "-c", Self.program, "\(port)"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "LC_ALL": "C.UTF-8"],
            directory: directory.path
        )
        while !process.outputSoFar.contains("ready"), !process.isSilent { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// How many requests reached the API: each is in the file before it is answered.
    var requests: Int {
        let lines = try? String(contentsOfFile: directory.path + "/requests", encoding: .utf8)
        return lines?.split(separator: "\n").count ?? 0
    }

    func stop() async {
        // A child inherits which signals are blocked, and Python lets SIGTERM stay so.
        process.kill()
        _ = await process.result()
    }

    private static let program = #"""
        import base64, gzip, hashlib, json, os, socket, sys, threading, time

        # What an API says that answers CORS itself.
        CORS = ("Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Credentials: true\r\nAccess-Control-Allow-Methods: *\r\n"
                "Access-Control-Allow-Headers: *\r\nAccess-Control-Max-Age: 1\r\n"
                "Access-Control-Expose-Headers: x-total\r\nVary: Accept\r\n")
        requests = open("requests", "ab", buffering=0)
        threading.excepthook = lambda _: None      # clients that hang up are part of the tests

        def appears(name):
            for _ in range(3000):
                if os.path.exists(name):
                    return True
                time.sleep(0.01)
            return False

        def read(stream, length):
            """Reads a body; a file says that a part of it is here."""
            parts = []
            while length:
                part = stream.read(min(length, 65536))
                if not part:
                    break
                length -= len(part)
                parts.append(part)
                open("begun", "w").close()
            return b"".join(parts)

        def serve(connection):
            stream = connection.makefile("rb")
            with connection, stream:
                while True:
                    line = stream.readline().decode("latin-1").strip()
                    if not line:
                        return
                    requests.write(line.encode() + b"\n")
                    fields = []
                    while (head := stream.readline().decode("latin-1").rstrip("\r\n")):
                        name, _, value = head.partition(":")
                        fields.append([name, value.strip()])
                    lower = {name.lower(): value for name, value in fields}
                    body, trailers = b"", []
                    if "content-length" in lower:
                        body = read(stream, int(lower["content-length"]))
                    elif lower.get("transfer-encoding") == "chunked":
                        while (size := int(stream.readline().split(b";")[0], 16)):
                            body += stream.read(size)
                            stream.readline()
                        while (trailer := stream.readline().decode("latin-1").rstrip("\r\n")):
                            trailers.append(trailer)
                    upgrades = [value.strip() for name, value in fields if name.lower() == "upgrade"]
                    if "h2c" in ",".join(upgrades).lower():
                        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
                        return
                    if lower.get("upgrade", "").lower() == "websocket":
                        key = lower.get("sec-websocket-key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
                        connection.sendall("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                           f"Sec-WebSocket-Accept: {accept}\r\n\r\nhello".encode())
                        return
                    if "/events" in line:
                        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                                           b"data: one\n\n")
                        connection.sendall(b"data: released\n\n" if appears("release") else b"data: nobody came\n\n")
                        return
                    if "/gzip" in line:
                        packed = gzip.compress(b"compressible " * 1000)
                        with open("packed", "wb") as file:
                            file.write(packed)
                        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/plain\r\n"
                                           b"Content-Length: %d\r\n\r\n" % len(packed) + packed)
                        continue
                    wsgi = {}
                    for name, value in fields:
                        key = "HTTP_" + name.upper().replace("-", "_")
                        wsgi[key] = wsgi[key] + "," + value if key in wsgi else value
                    text = json.dumps({"line": line, "fields": fields, "wsgi": wsgi, "body": len(body),
                                       "trailers": trailers}).encode()
                    status = "500 Oops" if "/broken" in line else "200 OK"
                    connection.sendall(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n"
                                       f"{CORS if '/cors' in line else ''}Cache-Control: max-age=60\r\n\r\n".encode() + text)

        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", int(sys.argv[1])))
        listener.listen(64)
        print("ready")
        while True:
            accepted, _ = listener.accept()
            threading.Thread(target=serve, args=(accepted,), daemon=True).start()
        """#
}
#endif
