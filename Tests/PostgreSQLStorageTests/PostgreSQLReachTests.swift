// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

@testable import PostgreSQLStorage

@Suite("PostgreSQL: what the threads of a pool know")
struct PostgreSQLReachTests {
    private let start = ContinuousClock.now

    @Test func `a database that cannot be reached is away after a second, until a connection opens`() {
        var reach = PostgreSQLReach()
        #expect(reach.note(.unreachable, at: start) == .hopeful)
        #expect(reach.isAway && !reach.rejects(at: start))
        #expect(reach.note(.unreachable, at: start + .seconds(2)) == .away)
        #expect(reach.rejects(at: start + .seconds(2)))
        #expect(reach.note(.opened, at: start + .seconds(3)) == .hopeful)
        #expect(!reach.isAway && !reach.rejects(at: start + .seconds(3)))
    }

    @Test func `a refused connection does not make the database away while another thread has one`() {
        var reach = PostgreSQLReach()
        _ = reach.note(.opened, at: start)
        #expect(reach.note(.unreachable, at: start) == .crowded)
        #expect(reach.note(.unreachable, at: start + .seconds(5)) == .crowded)
        #expect(!reach.isAway && !reach.rejects(at: start + .seconds(5)))
        // The others do the work, and after a pause the thread tries again.
        #expect(reach.leavesToOthers(at: start + .seconds(5)) != nil)
        #expect(reach.leavesToOthers(at: start + .seconds(6)) == nil)
        // Once the other connection is lost too, there is none left.
        _ = reach.note(.lost, at: start + .seconds(6))
        #expect(reach.note(.unreachable, at: start + .seconds(6)) == .hopeful)
        #expect(reach.isAway)
        #expect(reach.note(.unreachable, at: start + .seconds(8)) == .away)
    }

    @Test func `a commit without an answer is not over when a connection opens, only when one is answered`() {
        var reach = PostgreSQLReach()
        _ = reach.note(.opened, at: start)
        _ = reach.note(.lost, at: start)
        _ = reach.note(.unanswered, at: start)
        _ = reach.note(.opened, at: start + .seconds(2))
        #expect(reach.isAway && reach.rejects(at: start + .seconds(2)))
        _ = reach.note(.answered, at: start + .seconds(3))
        #expect(!reach.isAway && !reach.rejects(at: start + .seconds(3)))
        #expect(reach.note(.waiting, at: start + .seconds(3)) == .hopeful)
    }

    @Test func `one thread at a time looks for another server, and less often if that commits nothing either`() {
        var reach = PostgreSQLReach()
        _ = reach.note(.unanswered, at: start)
        #expect(reach.note(.waiting, at: start) == .trial)
        // The others wait until the trial is over, which takes longer than the pause.
        for second in 1...5 { #expect(reach.note(.waiting, at: start + .seconds(second)) == .away) }
        _ = reach.note(.trialEnded, at: start + .seconds(5))
        #expect(reach.note(.waiting, at: start + .seconds(6)) == .away)
        #expect(reach.note(.waiting, at: start + .seconds(7)) == .trial)
        #expect(reach.note(.waiting, at: start + .seconds(9)) == .away)
        _ = reach.note(.trialUnanswered, at: start + .seconds(12))
        _ = reach.note(.trialEnded, at: start + .seconds(12))
        #expect(reach.note(.waiting, at: start + .seconds(15)) == .away)
        #expect(reach.note(.waiting, at: start + .seconds(16)) == .trial)
        for _ in 0..<10 { _ = reach.note(.trialUnanswered, at: start + .seconds(20)) }
        _ = reach.note(.trialEnded, at: start + .seconds(20))
        #expect(reach.note(.waiting, at: start + .seconds(79)) == .away)
        #expect(reach.note(.waiting, at: start + .seconds(80)) == .trial)
    }

    @Test func `a trial that outlasts its outage is the only one in the next outage too`() {
        var reach = PostgreSQLReach()
        _ = reach.note(.unanswered, at: start)
        #expect(reach.note(.waiting, at: start) == .trial)
        _ = reach.note(.answered, at: start + .seconds(1))
        #expect(reach.note(.waiting, at: start + .seconds(1)) == .hopeful)
        _ = reach.note(.unanswered, at: start + .seconds(2))
        #expect(reach.note(.waiting, at: start + .seconds(3)) == .away)
        _ = reach.note(.trialEnded, at: start + .seconds(4))
        #expect(reach.note(.waiting, at: start + .seconds(5)) == .away)
        #expect(reach.note(.waiting, at: start + .seconds(6)) == .trial)
    }

    @Test func `the lines of libpq become one, without tabs`() {
        let text = """
            connection to server at "::1", port 1 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "127.0.0.1", port 1 failed: timeout expired

            """
        #expect(
            PostgreSQLConnection.oneLine(text) == """
                connection to server at "::1", port 1 failed: Connection refused. Is the server running on that host and \
                accepting TCP/IP connections?; connection to server at "127.0.0.1", port 1 failed: timeout expired
                """
        )
        #expect(PostgreSQLConnection.oneLine("out of memory\n") == "out of memory")
    }
}
#endif
