public import StepDomain
public import StepServices

/// What is being done, in a line.
public enum ProgressWords {
    public static func line(_ step: SyncService.Step, _ localTime: LocalTime) -> String {
        switch step {
        case .reading(let pedometer, let progress): SyncView.words(for: progress, of: pedometer)
        case .sharing(let step): line(step, localTime)
        }
    }

    public static func line(_ step: ShareService.Step, _ localTime: LocalTime) -> String {
        switch step {
        case .delivering(let progress): ShareView.words(for: progress)
        case .waiting(let moment): "Waiting until \(Words.clock(moment, localTime))"
        }
    }

    /// A pedometer that is being registered.
    public static func line(_ step: Registration.Step) -> String {
        switch step {
        case .searching(let device): "Looking for \(device.map { Printable($0).description } ?? "pedometers")"
        case .searchingOn(let device, let others):
            "Still looking for \(Printable(device))"
                + (others.isEmpty
                    ? "" : "; in range: \(others.map { Printable($0).description }.joined(separator: ", "))")
        case .connecting(let name): "Connecting to \(Printable(name))"
        case .listening(let name): "Listening for the steps of \(Printable(name))"
        case .probing(let name): "Reading the services of \(Printable(name))"
        case .experimental(let kind): "\(kind.title) is experimental"
        }
    }

    /// A search for devices; empty when it has ended.
    public static func line(_ step: DeviceSearch.Step) -> String {
        switch step {
        case .scanning(let seconds, let found):
            "Scanning for \(Words.seconds(seconds))" + (found.map { ": \($0) found" } ?? "")
        case .scanned: ""
        case .probing(let device): "Connecting to \(device.name.map { Printable($0).description } ?? device.address)"
        }
    }

    /// A file of another program that is being read: `Reading: 1,234,567 records of steps, 45 %, 12 seconds left`.
    public static func line(_ progress: ReadingProgress, rest: Duration?) -> String {
        let parts = [
            progress.samples > 0 ? "\(Words.count(progress.samples, "record")) of steps" : nil,
            progress.share.map { Words.percent(100 * $0) },
            rest.map { "\(Words.count(Int(($0 / .seconds(1)).rounded(.up)), "second")) left" },
        ]
        return "Reading: \(parts.compactMap(\.self).joined(separator: ", "))"
    }
}

/// What a sync says about a machine whose clock may be wrong.
public enum ClockWaitWords {
    public static let waiting = "waiting for a time server to set this machine's clock"
    public static let problem =
        "this machine's clock may be wrong: it has no clock that runs while it is off, and no time server has set it yet."
    /// What to do.
    public static let advice =
        "Steps that seem to be in the future are read by a later sync. To see the state of the clock: `timedatectl`"
}

/// The status line of a watch: which pedometers it waits for, and the steps of those that are connected.
public enum WatchWords {
    /// `ring: 8,123 steps today, 81 % of 10,000`, several separated by a bar.
    public static func live(_ figures: [LiveFigures.Figure]) -> String {
        figures.map { figure in
            let name = Printable(figure.name, limit: 32)
            guard let steps = figure.steps else { return "\(name): connected" }
            let percentage = SportPlan.percentage(steps: steps, goal: figure.goal)
            let share = percentage.map { ", \(Words.percent($0)) of \(Words.grouped(figure.goal ?? 0))" } ?? ""
            return "\(name): \(Words.count(steps, "step")) today\(share)"
        }.joined(separator: " | ")
    }

    /// What a watch is doing, in one line.
    public static func text(for status: WatchStatus, localTime: LocalTime) -> String {
        switch status {
        case .reading(let name): "\(Printable(name, limit: 32)): reading"
        case .searching(let names): "Looking for " + list(names)
        case .idle(let next): "All pedometers read; next at \(time(next, localTime))"
        case .noPedometer: Advice.firstPedometer("No pedometer to watch.").description
        }
    }

    /// What it says when it begins.
    public static func started(_ pedometers: [String]) -> String {
        "Watching for \(list(pedometers)). Press Ctrl-C to end."
    }

    private static func list(_ names: [String]) -> String {
        names.map { Printable($0, limit: 32).description }.joined(separator: ", ")
    }

    /// `14:05`, as local clocks show it.
    public static func time(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        String(Words.clock(moment, localTime).suffix(5))
    }
}
