import Glibc
import Testing

@testable import LocalServer

/// Whose program has a port: a token must not be shown to another user's.
@Suite(.timeLimit(.minutes(5))) struct LoopbackOwnerTests {
    /// As the kernel prints it: 7837 is 1E9D, 80 is 0050.
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1E9D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0000000000000000 100 0 0 10 0
           1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12346 1 0000000000000000 100 0 0 10 0
           2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000    33        0 12347 1 0000000000000000 100 0 0 10 0
           3: 0100007F:C350 0100007F:1E9D 01 00000000:00000000 00:00000000 00000000  1001        0 12348 1 0000000000000000 20 4 30 10 -1
        """

    @Test func `the user who listens is found`() {
        #expect(LoopbackOwner.user(ofPort: 7837, in: Self.table) == 1000)
        #expect(LoopbackOwner.user(ofPort: 80, in: Self.table) == 33, "a short number has leading zeros")
    }

    @Test func `other addresses, connections and unknown ports have no user`() {
        #expect(LoopbackOwner.user(ofPort: 8080, in: Self.table) == nil, "it listens at all addresses")
        #expect(LoopbackOwner.user(ofPort: 50_000, in: Self.table) == nil, "a connection, which does not listen")
        #expect(LoopbackOwner.user(ofPort: 1, in: Self.table) == nil)
    }

    @Test(arguments: ["", "sl", "sl\n0: 0100007F:0001", "sl\n0: 0100007F:0001 x 0A a b c nobody"])
    func `an incomplete table of sockets gives no user`(table: String) {
        #expect(LoopbackOwner.user(ofPort: 1, in: table) == nil)
    }

    @Test func `a socket of this process belongs to its user`() throws {
        let socket = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, isIPv6: false) = socket.address else {
            Issue.record("\(socket.address)")
            return
        }
        #expect(LoopbackOwner.user(ofPort: port) == getuid())
    }
}
