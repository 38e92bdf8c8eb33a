internal import Glibc
internal import Support

/// A private directory of the bus, accessible to this user only, with its configuration and its socket.
struct BusDirectory: Sendable {
    let path: String
    private let closedNames: [String]

    var configuration: String { path + "/bus.conf" }
    /// The file with the daemon's error messages.
    var errors: String { path + "/errors" }
    var socket: String { path + "/bus" }
    /// The address of the socket.
    var address: String { "unix:path=" + socket }

    /// The longest path that dbus-daemon listens at: `_DBUS_MAX_SUN_PATH_LENGTH` in its dbus-sysdeps.h. The kernel
    /// would allow 107.
    private static let maximumSocketPath = 99

    /// - Parameter parent: the preferred place of the directory.
    /// - Throws: `PrivateBusError.cannotStart`.
    static func create(_ closedNames: [String] = [], below parent: String) throws(PrivateBusError) -> BusDirectory {
        let template = usable(parent) + "/dbus-XXXXXX"
        var characters = Array(template.utf8CString)
        // `mkdtemp` uses mode 0700.
        guard mkdtemp(&characters) != nil else {
            throw .cannotStart(reason: "cannot make a directory like \(template): \(lastError())")
        }
        let path = String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let directory = BusDirectory(path: path, closedNames: closedNames)
        do throws(PrivateBusError) {
            try directory.writeConfiguration()
        } catch {
            directory.remove()
            throw error
        }
        return directory
    }

    /// Removes all files that this process, the daemon and its guard created.
    func remove() {
        for file in [socket, configuration, errors] { unlink(file) }
        rmdir(path)
    }

    /// The start of the daemon's error messages, in one line.
    func readErrors() -> String {
        guard let file = fopen(errors, "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1000)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The preferred directory, unless it is too long for the path of a socket, or would need escaping in an address or
    /// in XML.
    private static func usable(_ preferred: String) -> String {
        let isShort = preferred.utf8.count + "/dbus-XXXXXX/bus".utf8.count <= maximumSocketPath
        let isPlain = preferred.utf8.allSatisfy { $0.isAlphanumeric || "/_-.".utf8.contains($0) }
        return preferred.hasPrefix("/") && isShort && isPlain ? preferred : "/tmp"
    }

    private func writeConfiguration() throws(PrivateBusError) {
        guard let file = fopen(configuration, "wx") else {
            throw .cannotStart(reason: "cannot write \(configuration): \(Self.lastError())")
        }
        fputs(text, file)
        // A full disk is reported only here.
        guard fclose(file) == 0 else {
            throw .cannotStart(reason: "cannot write \(configuration): \(Self.lastError())")
        }
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }

    /// Every user who can reach the socket has full access, as on a session bus; the limits are also those of a session
    /// bus.
    private var text: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
        \(closedNames.map { "    <deny send_destination=\"\($0)\"/>" }.joined(separator: "\n"))
          </policy>
          <limit name="max_match_rules_per_connection">50000</limit>
          <limit name="max_replies_per_connection">50000</limit>
          <limit name="max_names_per_connection">50000</limit>
        </busconfig>

        """
    }
}

/// Two connected sockets: one for this process, one for a child. (Swift cannot create a pipe as close-on-exec in one
/// step, and another child started in between would keep it open.)
final class SocketPair {
    private var parentEnd: Int32
    private(set) var childEnd: Int32

    /// - Throws: `PrivateBusError.cannotStart`.
    init() throws(PrivateBusError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .cannotStart(reason: String(cString: strerror(errno)))
        }
        parentEnd = pair[0]
        // Above the low numbers that a child assigns to its own descriptors.
        childEnd = fcntl(pair[1], F_DUPFD_CLOEXEC, 10)
        close(pair[1])
        guard childEnd >= 0 else { throw .cannotStart(reason: String(cString: strerror(errno))) }
    }

    deinit {
        if parentEnd >= 0 { close(parentEnd) }
        closeChildEnd()
    }

    /// The child has its own copy; the copy of this process would prevent the end of file.
    func closeChildEnd() {
        if childEnd >= 0 { close(childEnd) }
        childEnd = -1
    }

    /// Passes this process's end to the caller.
    func takeParentEnd() -> Int32 {
        defer { parentEnd = -1 }
        return parentEnd
    }

    /// Reads until there are `count` lines, the other end is closed, or no data arrives for `seconds`.
    func readLines(_ count: Int, seconds: Int) -> [String] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            var descriptor = pollfd(fd: parentEnd, events: Int16(POLLIN), revents: 0)
            let events = poll(&descriptor, 1, Int32(seconds) * 1000)
            if events < 0, errno == EINTR { continue }
            guard events > 0 else { break }
            let received = read(parentEnd, &buffer, buffer.count)
            guard received > 0 else { break }
            bytes += buffer.prefix(received)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
