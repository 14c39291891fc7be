// SPDX-License-Identifier: Apache-2.0

/// Why a nonce was rejected that another process, which shares the secrets, may know.
struct UnknownNonce: Error {}
