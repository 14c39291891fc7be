// SPDX-License-Identifier: Apache-2.0

/// Declarations of Foundation for type-checking only: URLs, requests and their errors.

public struct URL: Hashable, Sendable {
    public init?(string: String) { fatalError() }
    public init(filePath path: String) { fatalError() }
    public init?(string: String, relativeTo url: URL?) { fatalError() }
    public var absoluteString: String { fatalError() }
    public var absoluteURL: URL { fatalError() }
    public var path: String { fatalError() }
    public var isFileURL: Bool { fatalError() }
    public func appendingPathComponent(_ pathComponent: String) -> URL { fatalError() }
}

public struct URLRequest: Hashable, @unchecked Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy
    public init(
        url: URL,
        cachePolicy: CachePolicy = .reloadIgnoringLocalCacheData,
        timeoutInterval: TimeInterval = 60.0
    ) { fatalError() }
    public var url: URL? {
        get { fatalError() }
        set { fatalError() }
    }
    public var httpMethod: String? {
        get { fatalError() }
        set { fatalError() }
    }
    public var httpBody: Data? {
        get { fatalError() }
        set { fatalError() }
    }
    public var timeoutInterval: TimeInterval {
        get { fatalError() }
        set { fatalError() }
    }
    public var httpBodyStream: InputStream? {
        get { fatalError() }
        set { fatalError() }
    }
    public var allHTTPHeaderFields: [String: String]? {
        get { fatalError() }
        set { fatalError() }
    }
    public func value(forHTTPHeaderField field: String) -> String? { fatalError() }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { fatalError() }
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) { fatalError() }
    public static func == (left: URLRequest, right: URLRequest) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}

public struct URLError: Error, Hashable {
    public init(_ code: Code, userInfo: [String: Any] = [:]) { fatalError() }
    public var code: Code { fatalError() }

    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { fatalError() }
        public static var cancelled: Code { fatalError() }
        public static var timedOut: Code { fatalError() }
        public static var cannotFindHost: Code { fatalError() }
        public static var cannotConnectToHost: Code { fatalError() }
        public static var networkConnectionLost: Code { fatalError() }
        public static var dnsLookupFailed: Code { fatalError() }
        public static var notConnectedToInternet: Code { fatalError() }
        public static var secureConnectionFailed: Code { fatalError() }
        public static var serverCertificateHasBadDate: Code { fatalError() }
        public static var serverCertificateUntrusted: Code { fatalError() }
        public static var serverCertificateHasUnknownRoot: Code { fatalError() }
        public static var serverCertificateNotYetValid: Code { fatalError() }
        public static var clientCertificateRejected: Code { fatalError() }
        public static var clientCertificateRequired: Code { fatalError() }
        public static var internationalRoamingOff: Code { fatalError() }
        public static var dataNotAllowed: Code { fatalError() }
    }
}
