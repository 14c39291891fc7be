// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import OAuthSystem
import Testing

@Suite("Files, directories and threads of the system")
struct FileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/keybound-files.XXXXXX".utf8CString)
        let isMade = unsafe mkdtemp(&template) != nil
        try #require(isMade)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for name in DirectoryNames.all(in: path) ?? [] { _ = unsafe remove(path + "/" + name) }
            _ = unsafe rmdir(path)
        }
        try body(path)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        try #require(count == bytes.count)
    }

    @Test func `a file is read from any place, to its end`() throws {
        try withDirectory { directory in
            let path = directory + "/file"
            let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            try write(content, to: path)
            let file = try #require(RegularFile(path))
            #expect(file.size == 100_000)
            #expect(file.read(at: 0, upTo: 100_000) == content)
            #expect(file.read(at: 99_990, upTo: 100) == Array(content.suffix(10)))
            #expect(file.read(at: 100_000, upTo: 1) == [])
            #expect(file.read(at: 5, upTo: 0) == [])
        }
    }

    @Test func `what is no regular file is not opened, and keeps nobody waiting`() throws {
        try withDirectory { directory in
            #expect(RegularFile(directory) == nil)
            #expect(RegularFile(directory + "/missing") == nil)
            let made = unsafe mkfifo(directory + "/pipe", 0o600)
            try #require(made == 0)
            #expect(RegularFile(directory + "/pipe") == nil)
        }
    }

    @Test func `the bytes of a file stay in the memory that they were read into, so that they can be wiped`() throws {
        try withDirectory { directory in
            let path = directory + "/secret"
            try write(Array("1234".utf8), to: path)
            func read(_ maximumCount: Int) throws -> [UInt8]? {
                let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
                try #require(number >= 0)
                return try FileDescriptor(number, path).readAll(maximumCount: maximumCount)
            }
            let content = try #require(try read(257))
            #expect(content == Array("1234".utf8))
            #expect(content.capacity > 257)
            #expect(try read(4) == Array("1234".utf8))
            #expect(try read(3) == nil)
        }
    }

    @Test func `a directory has its names, hidden ones too, but not itself`() throws {
        try withDirectory { directory in
            for name in ["b", ".a", String(repeating: "c", count: 255)] { try write([1], to: directory + "/" + name) }
            #expect(DirectoryNames.all(in: directory)?.sorted() == [".a", "b", String(repeating: "c", count: 255)])
            #expect(DirectoryNames.all(in: directory + "/missing") == nil)
        }
    }

    @Test func `a directory that cannot be read to its end has no names, rather than some`() {
        func names(_ results: [String], then error: CInt) -> [String]? {
            var rest = results[...]
            return DirectoryNames.collect {
                if let name = rest.popFirst() { return name }
                if error != 0 { errno = error }
                return nil
            }
        }
        #expect(names([".", "a", "..", "b"], then: 0) == ["a", "b"])
        #expect(names(["a"], then: EIO) == nil)
        #expect(names([], then: ESTALE) == nil)
        // The error of an earlier call is ignored.
        errno = EIO
        #expect(names([], then: 0) == [])
    }

    @Test func `a thread of its own does its work`() async {
        let value = await withCheckedContinuation { continuation in
            let hasStarted = DetachedThread.start { continuation.resume(returning: 7) }
            if !hasStarted { continuation.resume(returning: 0) }
        }
        #expect(value == 7)
    }

    @Test func `the environment is read whole and by name`() throws {
        let path = try #require(EnvironmentVariables.value("PATH"))
        #expect(EnvironmentVariables.all["PATH"] == path)
        #expect(EnvironmentVariables.value("KEYBOUND_NOBODY_SETS_THIS") == nil)
    }
}
#endif
