// SPDX-License-Identifier: Apache-2.0

/// Declarations of Foundation for type-checking only: files, processes and threads.

public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let type = FileAttributeKey(rawValue: "")
    public static let protectionKey = FileAttributeKey(rawValue: "")
}

public struct FileProtectionType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
}

public struct FileAttributeType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let typeRegular = FileAttributeType(rawValue: "")
}

open class FileManager: NSObject {
    open class var `default`: FileManager { fatalError() }
    public struct SearchPathDirectory: Hashable, Sendable {
        public static var applicationSupportDirectory: SearchPathDirectory { fatalError() }
    }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static var userDomainMask: SearchPathDomainMask { fatalError() }
    }
    open func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { fatalError() }
    open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws { fatalError() }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func isReadableFile(atPath path: String) -> Bool { fatalError() }
    open func removeItem(at URL: URL) throws { fatalError() }
    open func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { fatalError() }
}

open class FileHandle: NSObject, @unchecked Sendable {
    public convenience init(forWritingTo url: URL) throws { fatalError() }
    public func write<T: DataProtocol>(contentsOf data: T) throws { fatalError() }
    public func close() throws { fatalError() }
}

open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var environment: [String: String] { fatalError() }
    #if os(iOS) || os(visionOS)
    open func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        fatalError()
    }
    #endif
}

open class Thread: NSObject {
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { fatalError() }
}

open class Stream: NSObject {
    public enum Status: UInt, Sendable {
        case notOpen = 0
        case opening = 1
        case open = 2
        case reading = 3
        case writing = 4
        case atEnd = 5
        case closed = 6
        case error = 7
    }
    open func open() { fatalError() }
    open func close() { fatalError() }
    open var streamStatus: Status { fatalError() }
    open class func getBoundStreams(
        withBufferSize bufferSize: Int,
        inputStream: AutoreleasingUnsafeMutablePointer<InputStream?>?,
        outputStream: AutoreleasingUnsafeMutablePointer<OutputStream?>?
    ) { fatalError() }
}

open class InputStream: Stream {
    open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { fatalError() }
}

open class OutputStream: Stream {
    open func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int { fatalError() }
}

public struct URLResourceValues {
    public init() { fatalError() }
    public var isExcludedFromBackup: Bool? {
        get { fatalError() }
        set { fatalError() }
    }
}

extension URL {
    public mutating func setResourceValues(_ values: URLResourceValues) throws { fatalError() }
}

open class Bundle: NSObject {
    open class var main: Bundle { fatalError() }
    open var bundleIdentifier: String? { fatalError() }
}
