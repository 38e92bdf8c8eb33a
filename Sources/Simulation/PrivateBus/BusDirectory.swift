internal import Glibc

/// A directory of the bus's own, readable by nobody else, with its configuration and its socket.
struct BusDirectory: Sendable {
    let path: String

    var socket: String { path + "/bus" }
    var configuration: String { path + "/bus.conf" }
    /// What the daemon complains about.
    var complaints: String { path + "/stderr" }
    /// The address by which the socket is reached.
    var address: String { "unix:path=" + AddressEscape.escaped(socket) }

    /// The longest path that fits into `sockaddr_un`.
    private static let maximumSocketPath = 107

    static func create() throws(PrivateBusError) -> BusDirectory {
        let preferred = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var failure = ""
        for parent in [preferred, "/tmp"] where parent.hasPrefix("/") {
            let template = parent + "/dbus-XXXXXX"
            guard template.utf8.count + "/bus".utf8.count <= maximumSocketPath else {
                failure = "\(parent) is too long for the path of a socket"
                continue
            }
            var characters = Array(template.utf8CString)
            // mkdtemp makes it 0700.
            if mkdtemp(&characters) != nil {
                let directory = BusDirectory(path: String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
                try directory.writeConfiguration()
                return directory
            }
            failure = "cannot make a directory in \(parent): \(String(cString: strerror(errno)))"
        }
        throw .cannotStart(reason: failure)
    }

    /// Removes what the daemon and `create` made.
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
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        return String(text.map { $0.isNewline ? " " : $0 }).trimmed
    }

    private func writeConfiguration() throws(PrivateBusError) {
        guard let file = fopen(configuration, "wx") else {
            let reason = String(cString: strerror(errno))
            remove()
            throw .cannotStart(reason: "cannot write \(configuration): \(reason)")
        }
        fputs(text, file)
        // A full disk shows only now.
        guard fclose(file) == 0 else {
            let reason = String(cString: strerror(errno))
            remove()
            throw .cannotStart(reason: "cannot write \(configuration): \(reason)")
        }
    }

    /// Everybody who can reach the socket (the directory lets nobody else in) may do everything; limits as on a session bus.
    private var text: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(AddressEscape.escapedForXML(address))</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
          <limit name="max_match_rules_per_connection">50000</limit>
          <limit name="max_replies_per_connection">50000</limit>
          <limit name="max_names_per_connection">50000</limit>
        </busconfig>

        """
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
