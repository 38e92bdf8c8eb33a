internal import Foundation
internal import Glibc
internal import Support

/// Kills the children that are still running when this process has ended, also if it was killed, and everything that
/// they started.
///
/// A child passes its environment on to what it starts, also to what leaves its session, such as the server of tmux. So
/// the name of the run marks all of them: in a variable of its own, and in the path of their home, which a child that
/// chooses its environment keeps (`istep demo --keep`). A shell waits for the end of its input, which is the end of
/// this process, and kills what has the mark. A parent-death signal (prctl(2)) would come with the end of the thread
/// that started the child, and threads of a pool end at any time.
public enum OrphanGuard {
    /// The name of this run: 16 hexadecimal digits, which no other run has. What has it anywhere in its environment
    /// ends with this process.
    public static let run: String = {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        let run = String(repeating: "0", count: 16 - digits.count) + digits
        start(run)
        return run
    }()

    /// What a child's environment must contain.
    public static var environment: [String: String] { ["ISTEP_TEST_RUN": run] }

    /// A process that is just starting another one, or replacing its program, can escape a search. So the search is
    /// repeated until it finds nothing three times.
    private static let script = """
        trap '' HUP INT QUIT TERM
        read -r line
        searches=0 empty=0
        while [ $empty -lt 3 ] && [ $searches -lt 100 ]; do
            searches=$((searches + 1))
            files=$(grep -lsaF -e "$1" /proc/[0-9]*/environ)
            if [ -n "$files" ]; then empty=0; else empty=$((empty + 1)); sleep 0.1; fi
            for file in $files; do
                process=${file%/environ}
                kill -s KILL "${process#/proc/}"
            done
        done
        """

    /// Without a guard, children of a killed test program go on: the tests are the same.
    private static func start(_ run: String) {
        guard let ends = try? Ends(), let output = try? Ends() else { return }
        defer { for descriptor in [ends.theirs, output.ours, output.theirs] { close(descriptor) } }
        // Our end stays open until this process ends.
        let shell = try? Spawn.start(
            ["/bin/sh", "-c", script, "sh", run], descriptors: [ends.theirs, output.theirs, output.theirs],
            leadsGroup: true)
        // If it is killed, its status must be read: Swift Testing waits for any child (waitid(2) with P_ALL), so that a
        // child whose status nobody reads hides the end of all exit tests.
        if let shell { Thread.detachNewThread { _ = Spawn.wait(for: shell) } }
    }
}
