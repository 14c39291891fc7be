// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Shows the URL of a sign-in on a terminal, where no browser can be opened.
enum TerminalURL {
    /// A function that writes a URL to a descriptor.
    ///
    /// - Parameter descriptor: A descriptor that stays open; standard error by default.
    /// - Returns: The function; `nil` if the descriptor is no terminal, so that no user would see the URL. A log must not get
    ///   it: the first one to open the URL signs in.
    static func writer(to descriptor: CInt = STDERR_FILENO) -> (@Sendable (_ url: String) -> Void)? {
        guard isatty(descriptor) == 1 else { return nil }
        return { url in
            // The sign-in waits for the user anyway: what a slow terminal adds is nothing.
            let text = Array("Open this URL in a browser on this machine:\n\n  \(url)\n\n".utf8)
            var written = 0
            while written < text.count {
                let count = unsafe text[written...].withUnsafeBytes {
                    unsafe write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                written += count
            }
        }
    }
}
#endif
