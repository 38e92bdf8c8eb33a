internal import Glibc

/// Kills the children that are still running when this process has ended, also if it was killed, and everything that they started.
///
/// A child passes its environment on to what it starts, also to what leaves its session (`istep demo --keep`, the server of tmux). So a
/// variable marks all of them. A shell waits for the end of its input, which is the end of this process, and kills what has the mark. A
/// parent-death signal (prctl(2)) would come with the end of the thread that started the child, and threads of a pool end at any time.
public enum OrphanGuard {
    /// What a child's environment must contain. Empty if there is no guard.
    public static let environment: [String: String] = {
        let value = "\(getpid())-\(UInt32.random(in: .min ... .max))"
        return start(mark: "\(name)=\(value)") ? [name: value] : [:]
    }()

    private static let name = "ISTEP_TEST_RUN"

    /// A process that is just starting another one can escape a search. So the search is repeated until it finds nothing.
    private static let script = """
        trap '' HUP INT QUIT TERM
        read -r line
        for search in 1 2 3 4 5 6 7 8 9 10; do
            files=$(grep -lszxF -e "$1" /proc/[0-9]*/environ)
            [ -n "$files" ] || break
            for file in $files; do
                process=${file%/environ}
                kill -s KILL "${process#/proc/}"
            done
        done
        """

    private static func start(mark: String) -> Bool {
        guard let ends = try? Ends(), let output = try? Ends() else { return false }
        defer { for descriptor in [ends.theirs, output.ours, output.theirs] { close(descriptor) } }
        // Our end stays open until this process ends.
        return
            (try? Spawn.start(
                ["/bin/sh", "-c", script, "sh", mark], descriptors: [ends.theirs, output.theirs, output.theirs], inOwnGroup: true)) != nil
    }
}
