// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc

/// A listening socket in the file system.
struct SocketFile {
    let descriptor: CInt
    private let path: String
    /// Which file it is, so that another process's file of the same name is not removed.
    private let (device, number): (dev_t, ino_t)

    /// What fits into `sun_path` with its end.
    static let maximumLength = 107

    /// Listens.
    ///
    /// - Parameters:
    ///   - path: At most 107 bytes.
    ///   - mode: The mode of the file.
    /// - Throws: ``HTTPServerError/Code/invalidAddress``, ``HTTPServerError/Code/cannotListen``.
    init(path: String, mode: UInt16) throws(HTTPServerError) {
        var address = try Self.address(path)
        try Self.removeLeftOver(path, &address)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | ListeningSocket.socketFlags, 0)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        do {
            self.descriptor = descriptor
            self.path = path
            (device, number) = try Self.listen(descriptor, path, &address, mode)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Removes the file, unless it is another one by now.
    func remove() {
        guard let found = Self.identity(of: path), found == (device, number) else { return }
        _ = unsafe unlink(path)
    }

    /// Clients cannot connect before `listen`, so the file has its mode by then.
    private static func listen(
        _ descriptor: CInt,
        _ path: String,
        _ address: inout sockaddr_un,
        _ mode: UInt16
    ) throws(HTTPServerError) -> (dev_t, ino_t) {
        guard unsafe call(Glibc.bind, descriptor, &address) == 0 else { throw error(errno, path) }
        guard let identity = identity(of: path), unsafe chmod(path, mode_t(mode)) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let number = errno
            _ = unsafe unlink(path)
            throw error(number, path)
        }
        return identity
    }

    /// Whether a socket can have a path.
    static func isPath(_ path: String) -> Bool {
        (1...maximumLength).contains(path.utf8.count) && !path.utf8.contains(0)
    }

    private static func address(_ path: String) throws(HTTPServerError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard isPath(path) else {
            throw HTTPServerError(
                .invalidAddress,
                "the path of a socket has 1 to \(maximumLength) bytes; choose a shorter directory"
            )
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return address
    }

    /// A file that no process listens at is removed.
    private static func removeLeftOver(_ path: String, _ address: inout sockaddr_un) throws(HTTPServerError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK) else {
            throw HTTPServerError(.cannotListen, "cannot listen on \(path): there is a file that is no socket")
        }
        let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | ListeningSocket.socketFlags, 0)
        guard probe >= 0 else { throw error(errno, path) }
        defer { Glibc.close(probe) }
        guard unsafe call(Glibc.connect, probe, &address) != 0, errno == ECONNREFUSED else {
            throw HTTPServerError(
                .cannotListen,
                "cannot listen on \(path): another program listens there, or its user does not let this one look"
            )
        }
        _ = unsafe unlink(path)
    }

    private static func call(
        _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt,
        _ descriptor: CInt,
        _ address: inout sockaddr_un
    ) -> CInt {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func identity(of path: String) -> (dev_t, ino_t)? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }

    private static func error(_ number: CInt, _ path: String) -> HTTPServerError {
        let advice =
            switch number {
            case ENOENT, ENOTDIR: "its directory does not exist; create it"
            case EACCES, EROFS: "this user may not create files in its directory"
            case EADDRINUSE: "another program has just created it"
            case EMFILE, ENFILE: "no file descriptor is left; raise the limit (ulimit -n)"
            default: "the system refused with error \(number)"
            }
        return HTTPServerError(.cannotListen, "cannot listen on \(path): \(advice)")
    }
}
#endif
