import Foundation
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct WebBrowserTests {
    /// A shell whose signals are blocked may wait for ever.
    @Test func `a browser inherits no blocked or ignored signals`() throws {
        let folder = try Folder()
        let script = folder.path + "/script"
        // The shell is a link: an executable file that is written here could still be open in a child that another test starts.
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/xdg-open", withDestinationPath: "/bin/sh")
        try Data("grep -E '^Sig(Blk|Ign)' /proc/self/status >\"$0.state\"\n".utf8).write(to: URL(fileURLWithPath: script))
        var blocked = sigset_t(), before = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        WebBrowser(file: script, environment: ["PATH": folder.path + ":/usr/bin:/bin"]).openAndWait()
        pthread_sigmask(SIG_SETMASK, &before, nil)
        let state = try String(contentsOfFile: script + ".state", encoding: .utf8)
        #expect(state == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n")
    }
}
