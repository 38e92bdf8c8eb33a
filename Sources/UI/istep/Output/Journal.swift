import Foundation

/// Priorities of lines in the journal (sd-daemon(3), after syslog(3)).
enum JournalPriority: Int, Sendable, Hashable, CaseIterable {
    case emergency, alert, critical, error, warning, notice, information, debug
}

/// A descriptor that is connected to the journal, where each line may begin with its priority.
enum JournalStream {
    /// Whether a descriptor is the stream that systemd connected a service to.
    ///
    /// Programs pass the variable on to programs that they start, with other descriptors: it counts only if it names
    /// this descriptor's file (systemd.exec(5), `$JOURNAL_STREAM`).
    ///
    /// - Parameter variable: the value of `JOURNAL_STREAM`: device and inode in decimal, such as `8:2048`.
    static func isConnected(to descriptor: Int32, variable: String?) -> Bool {
        guard let parts = variable?.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false),
            parts.count == 2,
            let device = UInt64(Substring(parts[0])), let inode = UInt64(Substring(parts[1]))
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }

    /// A text of one or more lines, each with its priority in front: the journal stores every line as a separate entry.
    static func prefixed(_ text: String, _ priority: JournalPriority) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "<\(priority.rawValue)>\($0)" }.joined(
            separator: "\n")
    }
}
