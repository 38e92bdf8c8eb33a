public import Glibc

/// Kills the process groups of children that are still running when this process has ended, also if it was killed.
///
/// A shell reads the identifiers from a socket; the end of its input is the end of this process. A parent-death signal (prctl(2)) would come
/// with the end of the thread that started the child, and threads of a pool end at any time.
public enum OrphanGuard {
    /// A child that leads a process group has started.
    public static func add(_ leader: pid_t) { send("+ \(leader)\n") }

    /// The child has ended.
    public static func remove(_ leader: pid_t) { send("- \(leader)\n") }

    private static let script = """
        trap '' HUP INT QUIT TERM
        children=' '
        while read -r change child; do
            case $change in
            +) children="$children$child " ;;
            -) children="${children%% $child *} ${children#* $child }" ;;
            esac
        done
        for child in $children; do kill -KILL -- "-$child"; done 2>/dev/null
        """

    /// Our end of the socket; -1 if there is no guard.
    private static let socket: Int32 = {
        guard let ends = try? Ends(), let output = try? Ends() else { return -1 }
        defer { for descriptor in [ends.theirs, output.ours, output.theirs] { close(descriptor) } }
        let shell = try? Spawn.start(["/bin/sh", "-c", script], descriptors: [ends.theirs, output.theirs, output.theirs], inOwnGroup: true)
        return shell == nil ? -1 : ends.ours
    }()

    private static func send(_ line: String) {
        let bytes = Array(line.utf8)
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
