// SPDX-License-Identifier: Apache-2.0

import Glibc

// Signs in and gets tokens with Keybound's client library and a client certificate, behind a server of other authors that
// asks for one; tells each step as a line of JSON.

guard let run = CertificateRun(arguments: Array(CommandLine.arguments.dropFirst())) else {
    print("usage: interop-client-certificate METHOD ISSUER API CA CERTIFICATE KEY STRANGE-CERTIFICATE STRANGE-KEY")
    exit(2)
}
exit(await run.run() ? 0 : 1)
