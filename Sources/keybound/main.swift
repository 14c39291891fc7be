// SPDX-License-Identifier: Apache-2.0

ProcessEnd.now(await Program.run(Array(CommandLine.arguments.dropFirst())))
