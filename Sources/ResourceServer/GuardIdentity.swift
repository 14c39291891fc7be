// SPDX-License-Identifier: Apache-2.0

/// Tells guards apart: a guard and its copies have one, and what they accepted names it.
final class GuardIdentity: Sendable {}
