internal import Glibc

/// A directory of the bus's own, which lets nobody else in, with its configuration and its socket.
struct BusDirectory: Sendable {
    let path: String
    private let closedNames: [String]

    var configuration: String { path + "/bus.conf" }
    /// What the daemon complains about.
    var complaints: String { path + "/complaints" }
    var socket: String { path + "/bus" }
    /// The address by which the socket is reached.
    var address: String { "unix:path=" + socket }

    /// The longest path that fits into `sockaddr_un`.
    private static let maximumSocketPath = 107

    /// - Throws: `PrivateBusError.cannotStart`.
    static func create(_ closedNames: [String] = []) throws(PrivateBusError) -> BusDirectory {
        let template = parent() + "/dbus-XXXXXX"
        var characters = Array(template.utf8CString)
        // Made with mode 0700.
        guard mkdtemp(&characters) != nil else { throw .cannotStart(reason: "cannot make a directory like \(template): \(lastError())") }
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

    /// Removes everything that this, the daemon and its guard made.
    func remove() {
        for file in [socket, configuration, complaints] { unlink(file) }
        rmdir(path)
    }

    /// The start of what the daemon complained about, in one line.
    func readComplaints() -> String {
        guard let file = fopen(complaints, "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1000)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// `TMPDIR`, unless it is too long for the path of a socket, or would need escaping in an address and in XML.
    private static func parent() -> String {
        let preferred = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let isShort = preferred.utf8.count + "/dbus-XXXXXX/bus".utf8.count <= maximumSocketPath
        let isPlain = preferred.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return preferred.hasPrefix("/") && isShort && isPlain ? preferred : "/tmp"
    }

    private func writeConfiguration() throws(PrivateBusError) {
        guard let file = fopen(configuration, "wx") else {
            throw .cannotStart(reason: "cannot write \(configuration): \(Self.lastError())")
        }
        fputs(text, file)
        // A full disk shows only here.
        guard fclose(file) == 0 else { throw .cannotStart(reason: "cannot write \(configuration): \(Self.lastError())") }
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }

    /// Whoever can reach the socket may do everything, as on a session bus, which the limits are those of as well.
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
