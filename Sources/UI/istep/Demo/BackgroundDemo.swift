import Foundation
import StepDomain
import StepViews
import Support

/// A demo that runs in the background until it is ended.
struct BackgroundDemo {
    private let folder: DemoFolder

    init(_ folder: DemoFolder) { self.folder = folder }

    func start(_ pedometers: [DemoPedometer]) async throws {
        let isThere = try folder.isThere()
        if isThere, folder.process != nil { return try showRunning() }
        // A history that exists already belongs to a user, unless a demo was killed here: the demo's steps must not be
        // added to it. If it was killed during its start, its process removes what the start has created.
        let isIncomplete = isThere && folder.started.contains("history.sqlite")
        let isResumed =
            isThere && !isIncomplete && !folder.isTemporary && folder.state != nil
            && FileManager.default.fileExists(atPath: folder.history)
        if !isResumed, !isIncomplete, !folder.isTemporary { try folder.refuseHistory() }
        // Makes the folder, and records that it did.
        guard let lock = try DemoFolder.Lock.take(folder, isStart: true) else { return try showRunning() }
        lock.release()
        guard let process = try await startProcess(pedometers) else { return try showRunning() }
        let started = folder.started
        do {
            if !isResumed {
                try await Demo(folder: folder, bus: process.bus, pedometers: pedometers).run { wiring, model in
                    try await blocking { [folder] in
                        let past = DemoHistory(model, wiring.localTime, now: wiring.now())
                        try past.fill(wiring.history(for: .updating))
                        try Wiring.writeExport(past.exported(), of: "old ring", to: folder.export)
                    }
                }
            }
            try Task.checkCancellation()
            try await process.leaveRunning()
        } catch {
            await process.end()
            // If the process was ended from outside, this command has gone on for a moment without it.
            await Wiring.untilClosed()
            _ = try? removeLeftovers(started)
            throw error
        }
        try Output.standard.result("")
        try Output.standard.result(
            "The demo runs in \(folder.path) with a year of history; the pedometers keep counting.")
        try showUse()
    }

    /// - Returns: nil if a demo runs in the folder already.
    private func startProcess(_ pedometers: [DemoPedometer]) async throws -> StartedDemo? {
        do {
            return try await StartedDemo.start(folder, pedometers)
        } catch {
            _ = try? removeLeftovers()
            throw error
        }
    }

    private func showRunning() throws {
        guard let state = folder.state else { throw folder.isChanging }
        try Output.standard.result(
            "A demo runs already in \(folder.path), with \(state.pedometers.joined(separator: ", ")) in range.")
        try showUse()
    }

    private func showUse() throws {
        let out = Output.standard, name = ShellCommand.quoted(folder.path)
        let isStandard = folder.path == DemoFolder.standardPath(ProcessEnvironment.current)
        let option = isStandard ? "--demo" : "--demo=\(name)"
        let lines = [
            ("istep \(option) sync", "any command in the demo: show, history, browse, watch"),
            ("istep \(option) serve --open", "its days in your browser"),
            ("istep \(option) import \(ShellCommand.quoted(folder.export))", "the year before, as a phone exports it"),
            (
                "export \(DemoFolder.variable)=\(name)",
                "all commands of this shell, until: unset \(DemoFolder.variable)"
            ),
            ("istep demo --end\(isStandard ? "" : " \(name)")", "end it"),
        ]
        let width = lines.map(\.0.count).max() ?? 0
        for (command, meaning) in lines {
            try out.result("  \(command)\(String(repeating: " ", count: width - command.count + 3))\(meaning)")
        }
        if !folder.isTemporary {
            try out.result("The demo's history is kept: istep show --db \(ShellCommand.quoted(folder.history))")
        }
    }

    /// Ends the demo, and removes what it has left if it was killed. Does nothing where there is none.
    func end() async throws {
        try await endProcess()
        // A command cannot change the environment of the shell that has started it.
        let variable = DemoFolder.variable
        guard ProcessEnvironment.outer[variable]?.isEmpty == false,
            DemoFolder(named: nil, environment: ProcessEnvironment.outer).path == folder.path
        else { return }
        try Output.standard.result(
            "\(variable) still directs all commands of this shell to this directory. To use your own history again: unset \(variable)"
        )
    }

    private func endProcess() async throws {
        let out = Output.standard, absence = "No demo runs in \(folder.path)."
        guard try folder.isThere() else { return try out.result(absence) }
        guard try await stop() else {
            guard isLeft else { return try out.result(absence) }
            guard try removeLeftovers() || !isLeft else { throw folder.isChanging }
            return try out.result("The demo was no longer running; its files are removed.")
        }
        // A process that had to be killed has left files. If another demo has begun there already, that one removes
        // them.
        if isLeft { _ = try removeLeftovers() }
        try out.result("The demo has ended.")
        // A demo that was ended during its start has left none.
        if !folder.isTemporary, FileManager.default.fileExists(atPath: folder.history) {
            try out.result("Its history is kept: istep show --db \(ShellCommand.quoted(folder.history))")
        }
    }

    /// Whether there are files that only a demo makes.
    private var isLeft: Bool {
        (folder.isTemporary ? [folder.path] : [folder.lockPath, folder.statePath]).contains {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Ends the process of the demo, and waits until it has removed its files: it releases the lock after that.
    ///
    /// - Returns: false if none runs.
    private func stop() async throws -> Bool {
        guard let lock = DemoFolder.LockFile(folder.lockPath) else { return false }
        defer { lock.close() }
        guard let process = lock.holder else { return false }
        guard kill(process, SIGTERM) == 0 || errno == ESRCH else {
            throw CommandFailure(
                .permission, "The demo in '\(folder.path)' cannot be ended: \(String(cString: strerror(errno))).")
        }
        var polls = 0
        while lock.holder == process {
            try await Task.sleep(for: .milliseconds(20))
            polls += 1
            // Ten seconds: it ends within one, unless it hangs.
            if polls == 500 { kill(process, SIGKILL) }
        }
        return true
    }

    /// - Parameter started: files of a start that has failed.
    /// - Returns: false if nothing was removed, because another command has the lock or has removed the folder.
    private func removeLeftovers(_ started: [String] = []) throws(CommandFailure) -> Bool {
        // Not while another command starts a new one.
        guard let lock = try DemoFolder.Lock.take(folder, isStart: false) else { return false }
        folder.remove(lock, started: started)
        lock.release()
        return true
    }
}
