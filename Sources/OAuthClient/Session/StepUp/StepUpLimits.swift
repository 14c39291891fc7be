// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the step-ups of each account at a server, over all its sessions: an API that demands the next scope in each answer, or
/// after each sign-in, must not open a browser for each call.
final class StepUpLimits: Sendable {
    /// What an API demands, as its challenge says.
    struct Demand: Hashable, Sendable {
        /// The name of the account whose call met the demand.
        let account: String
        let origin: String
        let scopes: Set<String>
        let isOfAuthentication: Bool

        init(_ error: OAuthClientError, account: String, origin: String) {
            self.account = account
            self.origin = origin
            scopes = Set(error.scopeChallenge?.scopes ?? error.stepUp?.scopes ?? [])
            isOfAuthentication = error.stepUp != nil
        }
    }

    /// The step-ups of one account.
    private struct Account {
        /// Those for each demand since the last one that helped.
        var useless: [Demand: BrowserLimit] = [:]
        /// Those for any demand that did not help.
        var uselessInAll = BrowserLimit(6)
        /// All of them: an API that accepts only one call after each step-up may be an attack too.
        var all = BrowserLimit(20)
    }

    private let accounts = Mutex<[String: Account]>([:])

    /// Counts a step-up that is about to begin; returns whether it may.
    ///
    /// One that ends before the user has seen anything is taken back: ``withdraw(_:)``.
    func mayBegin(_ demand: Demand, at now: Duration) -> Bool {
        accounts.withLock { accounts in
            var account = accounts[demand.account] ?? Account()
            var limit = account.useless[demand] ?? BrowserLimit()
            guard limit.allowsAnother(at: now), account.uselessInAll.allowsAnother(at: now),
                account.all.allowsAnother(at: now)
            else { return false }
            limit.count(at: now)
            account.uselessInAll.count(at: now)
            account.all.count(at: now)
            account.useless = account.useless.filter { !$0.value.isOver(at: now) }
            account.useless[demand] = limit
            accounts = accounts.filter { !$0.value.all.isOver(at: now) }
            accounts[demand.account] = account
            return true
        }
    }

    /// Takes back the count of a step-up that ended before the user saw a page of the server.
    func withdraw(_ demand: Demand) {
        accounts.withLock { accounts in
            accounts[demand.account]?.useless[demand]?.takeBack()
            accounts[demand.account]?.uselessInAll.takeBack()
            accounts[demand.account]?.all.takeBack()
        }
    }

    /// Notes that the API accepted a call after a step-up: an honest API may demand a recent sign-in for each payment (RFC 9470
    /// section 3).
    func helped(_ demand: Demand) {
        accounts.withLock { accounts in
            guard accounts[demand.account]?.useless.removeValue(forKey: demand) != nil else { return }
            accounts[demand.account]?.uselessInAll.takeBack()
        }
    }
}
