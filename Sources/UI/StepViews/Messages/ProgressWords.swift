public import StepDomain
public import StepServices

/// What is being done, in a line.
public enum ProgressWords {
    public static func line(_ step: SyncService.Step, _ localTime: LocalTime) -> String {
        switch step {
        case .reading(let pedometer, let progress): line(progress, of: pedometer)
        case .sharing(let step): line(step, localTime)
        }
    }

    public static func line(_ step: ShareService.Step, _ localTime: LocalTime) -> String {
        switch step {
        case .delivering(let progress):
            "\(Printable(progress.destination, limit: 32)): sharing, \(progress.done) of \(Words.count(progress.all, "day"))"
        case .waiting(let moment): "Waiting until \(Words.clock(moment, localTime))"
        }
    }

    /// A pedometer that is being read.
    private static func line(_ progress: ReadProgress, of pedometer: Pedometer) -> String {
        let name = Printable(pedometer.name, limit: 32)
        return switch progress {
        case .searching: "\(name): searching"
        case .adapterRestarted: "\(name): the adapter received nothing and was switched off and on; searching again"
        case .connecting: "\(name): connected"
        case .reconnecting: "\(name): the connection was lost; connecting again"
        case .reading(let done, let all): "\(name): reading, \(done) of \(all)"
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
