// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
package import OAuthSystem

/// A certificate (RFC 5280), read for people: nothing here decides whether it is trusted.
@safe
package final class X509Certificate {
    /// The result of a verification of a certificate that has expired.
    package static let expired = Int(X509_V_ERR_CERT_HAS_EXPIRED)

    /// `XN_FLAG_RFC2253`, a macro that Swift does not import.
    private static let nameNotation: UInt = 0x111_0317

    private let pointer: OpaquePointer

    /// Reads a certificate in PEM.
    ///
    /// - Parameter pem: The certificate; what follows it is ignored.
    /// - Throws: ``CryptoError``.
    package init(pem: String) throws(CryptoError) {
        let bytes = Array(pem.utf8)
        let found = unsafe bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { unsafe BIO_free(source) }
            return unsafe PEM_read_bio_X509(source, nil, nil, nil)
        }
        guard let pointer = unsafe found else { throw OpenSSL.failure("the certificate cannot be read") }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// The first moment at which it is valid; `nil` if it does not say.
    package var notBefore: Timestamp? { unsafe time(X509_get0_notBefore(pointer)) }

    /// The last moment at which it is valid; `nil` if it does not say.
    package var notAfter: Timestamp? { unsafe time(X509_get0_notAfter(pointer)) }

    /// Who issued it, in the notation of RFC 2253: the most specific name first.
    package var issuer: String { unsafe text(of: X509_get_issuer_name(pointer)) }

    /// The DNS names and IP addresses that it is for (RFC 5280 section 4.2.1.6).
    package var names: [String] {
        guard let list = unsafe X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let stack = OpaquePointer(list)
        defer { unsafe GENERAL_NAMES_free(stack) }
        return (0..<(unsafe OPENSSL_sk_num(stack))).compactMap { number in
            guard let entry = unsafe OPENSSL_sk_value(stack, number) else { return nil }
            let name = unsafe entry.assumingMemoryBound(to: GENERAL_NAME.self)
            var kind: Int32 = 0
            guard let value = unsafe GENERAL_NAME_get0_value(name, &kind), kind == GEN_DNS || kind == GEN_IPADD else {
                return nil
            }
            let string = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = unsafe Array(
                UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
            )
            return kind == GEN_DNS ? String(decoding: bytes, as: UTF8.self) : Self.address(bytes)
        }
    }

    /// Whether it is for a server (RFC 9525 section 6): a DNS name, or an IP address without brackets.
    package func isFor(_ host: String) -> Bool {
        if unsafe X509_check_ip_asc(pointer, host, 0) == 1 { return true }
        return unsafe X509_check_host(pointer, host, host.utf8.count, 0, nil) == 1
    }

    /// A result code of OpenSSL's verification, in words.
    package static func reason(_ result: Int) -> String {
        unsafe X509_verify_cert_error_string(result).map { unsafe String(cString: $0) } ?? "it is not valid"
    }

    private func time(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp? {
        let epoch = unsafe ASN1_TIME_set(nil, 0)
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        // RFC 5280 section 4.1.2.5: both forms of times are in UTC.
        guard unsafe time != nil, unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Timestamp(secondsSince1970: Int64(days) * 86_400 + Int64(seconds))
    }

    private func text(of name: OpaquePointer?) -> String {
        guard let target = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(target) }
        guard unsafe X509_NAME_print_ex(target, name, 0, Self.nameNotation) >= 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe BIO_read(target, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(max(Int(count), 0)), as: UTF8.self)
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        switch bytes.count {
        case 4: bytes.map(String.init).joined(separator: ".")
        case 16:
            stride(from: 0, to: 16, by: 2).map { index in
                String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
            }.joined(separator: ":")
        default: nil
        }
    }
}
#endif
