// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The files of `libcrypto_mb`, checked before the loader maps them: a truncated file would crash the process there.
struct CryptoMBFile {
    /// The name for the interface that ``CryptoMB`` uses; the linker's own name last.
    private static let names = ["libcrypto_mb.so.13", "libcrypto_mb.so"]
    /// The dependencies of the library, in an order in which each needs only those before it.
    private static let companionNames = ["libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so"]

    let path: String
    /// The dependencies in the same folder, which must be loaded first.
    let companions: [String]

    /// Finds the library.
    ///
    /// - Parameter folder: The folder to search; `nil` for the library path.
    /// - Returns: The files, none of which is truncated.
    /// - Throws: ``BatchVerificationError`` if there is none, or one of them is truncated.
    static func find(in folder: String?) throws(BatchVerificationError) -> CryptoMBFile {
        let folders = folder.map { [$0] } ?? libraryPath
        for folder in folders {
            guard let name = names.first(where: { isReadable(folder + "/" + $0) }) else { continue }
            let companions = companionNames.map { folder + "/" + $0 }.filter(isReadable)
            for path in companions + [folder + "/" + name] {
                guard try isWhole(path) else { throw .unavailable("\(path) is cut off, or no library") }
            }
            return CryptoMBFile(path: folder + "/" + name, companions: companions)
        }
        throw .unavailable("there is no \(names[0]) in \(folder ?? "the library path")")
    }

    /// `LD_LIBRARY_PATH`, then the library folders of Linux.
    private static var libraryPath: [String] {
        let variable = unsafe getenv("LD_LIBRARY_PATH").map { unsafe String(cString: $0) } ?? ""
        // An empty or relative entry means the working directory, from which nothing is loaded here.
        return variable.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
            + ["/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"]
    }

    /// Whether an ELF file has all the bytes that its header describes.
    private static func isWhole(_ path: String) throws(BatchVerificationError) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unavailable("\(path) cannot be opened") }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, let header = ELFHeader(read(descriptor, 64, at: 0)) else {
            return false
        }
        guard header.sectionsEnd <= UInt64(facts.st_size),
            let table = read(descriptor, header.segmentsCount * ELFHeader.segmentSize, at: header.segmentsStart)
        else { return false }
        return (0..<header.segmentsCount).allSatisfy { number in
            ELFHeader.segmentEnd(in: table, number) <= UInt64(facts.st_size)
        }
    }

    private static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    private static func read(_ descriptor: Int32, _ count: Int, at offset: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe pread(descriptor, &bytes, count, offset) == count ? bytes : nil
    }
}
#endif
