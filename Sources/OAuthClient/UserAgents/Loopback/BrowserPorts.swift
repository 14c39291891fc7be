// SPDX-License-Identifier: Apache-2.0

/// The ports to which a browser cannot bring a response.
enum BrowserPorts {
    /// Whether a browser sends requests to a port, with the port in the `Host` field.
    ///
    /// Browsers leave out port 80, the default of http (RFC 9110 section 4.2.1), so `Host` would not be that of the redirect
    /// URI.
    static func canReach(_ port: UInt16) -> Bool { port != 80 && !blocked.contains(port) }

    /// The ports of other protocols, to which browsers send no requests (Fetch standard, port blocking).
    private static let blocked: Set<UInt16> = [
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513,
        514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
        1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    ]
}
