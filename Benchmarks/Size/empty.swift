// SPDX-License-Identifier: Apache-2.0

// Nothing but Swift.
print("empty")
_ = readLine()
