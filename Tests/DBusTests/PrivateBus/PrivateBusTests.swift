import DBus
import Foundation
import PrivateBus
import Testing

@Suite(.timeLimit(.minutes(5))) struct PrivateBusTests {
    private func directory(of bus: PrivateBus) throws -> String {
        let path = try #require(bus.address.wholeMatch(of: /unix:path=(.+)\/bus/))
        return String(path.1)
    }

    @Test func `only the owner can access the directory of the bus`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let attributes = try FileManager.default.attributesOfItem(atPath: try directory(of: bus))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    /// dbus-daemon accepts shorter paths of sockets than the kernel.
    @Test func `a long temporary directory is no obstacle`() async throws {
        let top = FileManager.default.temporaryDirectory.path + "/bus-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: top) }
        var isBelow: Set<Bool> = []
        for length in (top.utf8.count + 2)...max(top.utf8.count + 2, 110) {
            let parent = top + "/" + String(repeating: "d", count: length - top.utf8.count - 1)
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            let bus = try await PrivateBus.start(below: parent)
            defer { bus.stop() }
            isBelow.insert(try directory(of: bus).hasPrefix(parent + "/"))
            try await DBusConnection.open(.address(bus.address)).close()
        }
        #expect(isBelow.contains(false))
    }

    @Test func `stopping a bus ends its daemon and removes its files`() async throws {
        let bus = try await PrivateBus.start()
        let directory = try directory(of: bus)
        let connection = try await DBusConnection.open(.address(bus.address))
        let signals = try await connection.signals(MatchRule())
        bus.stop()
        #expect(!FileManager.default.fileExists(atPath: directory))
        for await _ in signals {}
        bus.stop()
        let error = await failure { _ = try await DBusConnection.open(.address(bus.address)) }
        guard case .cannotConnect(bus.address, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// The environment of istep can hold the tokens of destinations.
    @Test func `the daemon gets only the variables that it needs`() async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let record = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(bus.processIdentifier)/environ"))
        let names = Set(
            record.split(separator: 0).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) })
        // The shell that starts it may add its working directory.
        let allowed: Set = ["PATH", "HOME", "TMPDIR", "PWD", "OLDPWD"]
        #expect(names.isSubset(of: allowed), "\(names)")
        try #require(
            !Set(ProcessInfo.processInfo.environment.keys).isSubset(of: allowed),
            "nothing that could have been inherited")
    }

    /// A connection that the daemon holds, too, would not end when this process closes it.
    @Test func `the daemon gets no descriptor of this process`() async throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { close(pair[0]) }
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        close(pair[1])
        // Not at once: a child that another test starts at this moment has all descriptors until it executes its
        // program.
        var end = pollfd(fd: pair[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 60_000) == 1, "another process holds the other end")
        var byte: UInt8 = 0
        #expect(recv(pair[0], &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    }

    @Test func `a bus without references removes its files`() async throws {
        let directory = try directory(of: try await PrivateBus.start())
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func `two buses have separate addresses, processes and names`() async throws {
        let one = try await PrivateBus.start()
        let other = try await PrivateBus.start()
        defer {
            one.stop()
            other.stop()
        }
        #expect(one.address != other.address)
        #expect(one.processIdentifier != other.processIdentifier)
        let connection = try await DBusConnection.open(.address(one.address))
        let stranger = try await DBusConnection.open(.address(other.address))
        try await connection.requestName("org.bluez")
        try await stranger.requestName("org.bluez")
    }

    @Test(arguments: [
        (
            PrivateBusError.daemonNotFound(searched: ["/a", "/b"]),
            "dbus-daemon was not found in /a:/b; install it (Debian and Ubuntu: sudo apt-get install dbus-daemon)"
        ),
        (.cannotStart(reason: "why"), "dbus-daemon could not be started: why"),
        (.noAnswer(seconds: 10), "dbus-daemon did not come up within 10 s"),
    ])
    func `each error description states the cause`(_ error: PrivateBusError, _ text: String) {
        #expect(error.description == text)
    }
}
