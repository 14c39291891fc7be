// SPDX-License-Identifier: Apache-2.0

LibraryLogs.silence()
ProcessEnd.now(await Program.run(Array(CommandLine.arguments.dropFirst())))
