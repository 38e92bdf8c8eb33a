import Foundation
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct WebBrowserTests {
    /// A shell whose signals are blocked may wait for ever. A Ctrl-C in the terminal goes to the group of the program.
    @Test(arguments: [false, true])
    func `a browser inherits no blocked or ignored signals, and leads a group only if a Ctrl-C must not end it`(
        leadsGroup: Bool
    ) throws {
        let folder = try Folder()
        let script = folder.path + "/script"
        // The shell is a link: an executable file that is written here could still be open in a child that another test
        // starts.
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/xdg-open", withDestinationPath: "/bin/sh")
        let commands = """
            grep -E '^Sig(Blk|Ign)' /proc/self/status >"$0.state"
            cut -d ' ' -f 5 /proc/self/stat >"$0.group"

            """
        try Data(commands.utf8).write(to: URL(fileURLWithPath: script))
        var blocked = sigset_t(), before = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        WebBrowser(file: script, environment: ["PATH": folder.path + ":/usr/bin:/bin"]).openAndWait(
            leadsGroup: leadsGroup)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        let state = try String(contentsOfFile: script + ".state", encoding: .utf8)
        let masks = state.split(separator: "\n").map {
            $0.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
        }
        // The first bit is signal 1. Those from 32 on are the C library's own, which no program can set.
        #expect(masks.count == 2 && masks.allSatisfy { $0.map { $0 & 0x7FFF_FFFF } == 0 }, "\(state)")
        let group = try String(contentsOfFile: script + ".group", encoding: .utf8)
        #expect((group == "\(getpgrp())\n") != leadsGroup, "\(group)")
    }
}
