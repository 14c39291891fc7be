// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPServer
import JOSE
import StrictJSON

// Starts Keybound's servers for clients of other authors, says where they are as one line of JSON, and runs until SIGTERM.

TerminationSignals.install()
let bound = try await KeyboundServer.start(requiresDPoP: true)
let unbound = try await KeyboundServer.start(requiresDPoP: false)
let description: JSONObject = ["bound": .object(bound.description), "unbound": .object(unbound.description)]
print(String(decoding: JSONValue.object(description).encoded(), as: UTF8.self))
// Standard output is a pipe here, which the C library fills before it writes.
fflush(nil)
_ = await TerminationSignals.next()
await bound.stop()
await unbound.stop()
