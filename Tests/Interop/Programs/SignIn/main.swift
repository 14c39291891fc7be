// SPDX-License-Identifier: Apache-2.0

import Glibc

// Signs in with Keybound's client library at a server of other authors, and tells each step as a line of JSON.

guard let request = SignInRequest(arguments: CommandLine.arguments.dropFirst()) else {
    print(
        "usage: interop-sign-in ISSUER CLIENT-ID REDIRECT-URI SCOPES PROTECTED-URL [--accept-bearer] [--access] "
            + "[--sign-request] [--client-secret=SECRET] [--response-mode=MODE]"
    )
    exit(2)
}
let passed = await request.asksForAccess ? AccessRun(request).run() : SignInRun(request).run()
exit(passed ? 0 : 1)
