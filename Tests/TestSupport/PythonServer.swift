// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// A server in Python with new certificates; it reports on standard output what it receives.
public final class PythonServer: Sendable {
    /// The program did not start.
    public struct Failed: Error, CustomStringConvertible {
        /// Its standard error.
        public let description: String
    }

    /// How the server behaves.
    public enum Conduct: String, Sendable {
        /// HTTPS with a certificate for 127.0.0.1.
        case tls
        /// HTTPS with a certificate for another name.
        case otherName
        /// HTTPS with at most TLS 1.1.
        case oldTLS
        /// HTTPS with a cipher without authenticated encryption.
        case weakCipher
        /// HTTPS that requires a client certificate of the same authority.
        case clientCertificate
        /// HTTPS in front of a server without TLS, to which it forwards everything.
        case front
        /// HTTP that responds to the first request of a connection, and closes the connection after it has read the
        /// second one.
        case closesAfterSecond
        /// HTTPS with HTTP/2 or HTTP/1.1, which changes the protocol at the first request, whatever it asks for.
        case changesProtocol
    }

    /// `https://127.0.0.1:` and the port.
    public let base: String
    /// A proxy next to the server: `http://127.0.0.1:` and its port.
    public let proxy: String
    /// The authority that certified the server, in a file.
    public let authorityFile: String
    /// A certificate of the authority for a client named `my-app`, and its key, in PEM.
    public let clientCertificate: (certificate: [UInt8], key: [UInt8])
    /// The same key, encrypted with a passphrase.
    public let lockedKey: [UInt8]
    private let process: ChildProcess
    private let directory: URL

    /// Makes certificates, and starts listening.
    ///
    /// - Parameters:
    ///   - conduct: How the server behaves.
    ///   - port: The port on this machine of the server behind a ``Conduct/front``.
    ///   - days: For how many days its certificate is valid; -1 for one that expired a day ago.
    /// - Throws: ``Failed``, or the error that prevented the start of the program.
    public init(_ conduct: Conduct, before port: UInt16 = 0, days: Int = 2) async throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        process = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-I", "-u", "-W", "ignore", "-c", Self.program, conduct.rawValue, "\(port)", "\(days)"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "LC_ALL": "C.UTF-8"],
            directory: directory.path
        )
        while !process.outputSoFar.contains("\n"), process.errorsSoFar.isEmpty, !process.isSilent {
            try await Task.sleep(for: .milliseconds(5))
        }
        let ports = process.outputSoFar.split(separator: "\n").first?.split(separator: " ") ?? []
        guard ports.count == 2 else { throw Failed(description: process.errorsSoFar) }
        base = (conduct == .closesAfterSecond ? "http" : "https") + "://127.0.0.1:\(ports[0])"
        proxy = "http://127.0.0.1:\(ports[1])"
        authorityFile = directory.appendingPathComponent("ca.pem").path
        clientCertificate = (
            [UInt8](try Data(contentsOf: directory.appendingPathComponent("client.pem"))),
            [UInt8](try Data(contentsOf: directory.appendingPathComponent("client.key")))
        )
        lockedKey = [UInt8](try Data(contentsOf: directory.appendingPathComponent("locked.key")))
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(at: directory)
    }

    /// The events so far: one line for each request or tunnel.
    public var events: [String] { process.outputSoFar.split(separator: "\n").dropFirst().map(String.init) }

    /// The events, once there are enough: the output of a process arrives after a delay.
    ///
    /// - Parameter count: How many lines to wait for, at most five minutes.
    /// - Returns: The lines.
    /// - Throws: `CancellationError`.
    public func events(_ count: Int) async throws -> [String] {
        for _ in 0..<60_000 where events.count < count { try await Task.sleep(for: .milliseconds(5)) }
        return events
    }

    private static let program = #"""
        import select, socket, ssl, subprocess, sys, threading

        conduct = sys.argv[1]
        name = "DNS:other.example" if conduct == "otherName" else "IP:127.0.0.1"

        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True)

        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority", "-days", "2")
        for who, subject, extension in [("server", "server", name), ("client", "my-app", "DNS:client.example")]:
            openssl("req", *new_key, "-keyout", who + ".key", "-out", who + ".csr", "-subj", "/CN=" + subject)
            with open(who + ".ext", "w") as file:
                file.write("subjectAltName=" + extension)
            openssl("x509", "-req", "-in", who + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-out", who + ".pem",
                    "-days", sys.argv[3], "-CAcreateserial", "-extfile", who + ".ext")

        openssl("pkey", "-in", "client.key", "-aes256", "-passout", "pass:x", "-out", "locked.key")

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("server.pem", "server.key")
        if conduct == "oldTLS":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        if conduct == "weakCipher":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("ECDHE-ECDSA-AES128-SHA")
        if conduct == "clientCertificate":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations("ca.pem")

        if conduct == "changesProtocol":
            context.set_alpn_protocols(["h2", "http/1.1"])

        def listen():
            listener = socket.create_server(("127.0.0.1", 0), backlog=64)
            return listener, listener.getsockname()[1]

        def read_head(connection):
            head = b""
            while b"\r\n\r\n" not in head:
                chunk = connection.recv(4096)
                if not chunk:
                    return ""
                head += chunk
            head, body = head.split(b"\r\n\r\n", 1)
            length = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
            while len(body) < sum(length):
                body += connection.recv(4096)
            return head.decode()

        def relay(one, other):
            while True:
                for ready in select.select([one, other], [], [])[0]:
                    chunk = ready.recv(65536)
                    if not chunk:
                        return
                    (other if ready is one else one).sendall(chunk)
                    # What TLS has read already, nobody waits for.
                    while isinstance(ready, ssl.SSLSocket) and ready.pending():
                        other.sendall(ready.recv(65536))

        def answer(connection):
            if conduct == "front":
                with connection, socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as server:
                    return relay(connection, server)
            with connection:
                number = 0
                while head := read_head(connection):
                    number += 1
                    subject = ""
                    if isinstance(connection, ssl.SSLSocket) and connection.getpeercert():
                        subject = " by " + dict(part[0] for part in connection.getpeercert()["subject"])["commonName"]
                    print(head.split("\r\n")[0] + subject)
                    if conduct == "closesAfterSecond" and number == 2:
                        return
                    if conduct == "changesProtocol":
                        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
                                           b"\0\0\0\4\0\0\0\0\0")
                        connection.recv(1)      # until the client closes
                        return
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        def accept(connection):
            try:
                answer(connection if conduct == "closesAfterSecond" else context.wrap_socket(connection, server_side=True))
            except OSError:
                pass

        def tunnel(connection):
            head = read_head(connection).split("\r\n")[0]
            print(head)
            host, port = head.split(" ")[1].rsplit(":", 1)
            with connection, socket.create_connection((host, int(port))) as other:
                connection.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
                relay(connection, other)

        def serve(listener, handle):
            while True:
                threading.Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()

        server, port = listen()
        proxy, proxy_port = listen()
        print(port, proxy_port)
        threading.Thread(target=serve, args=(proxy, tunnel), daemon=True).start()
        serve(server, accept)
        """#
}
#endif
