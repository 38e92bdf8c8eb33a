/// When a lookout scans: often at first, more seldom the longer nobody was heard.
///
/// A scan keeps the radio on, so that a laptop pays for it; what is away for hours is as a rule away for hours more.
public struct ScanPace: Sendable, Hashable {
    /// Of one scan. Pedometers advertise about once a second, sleepy ones every two seconds.
    public var length: Duration
    /// Between two scans.
    public var pause: Duration
    /// The first scan waits for a pause, too.
    public var beginsWithPause: Bool

    /// The pause grows to at least double after this long a silence, and to fivefold after four times as long.
    public var patience: Duration
    private var silence: Duration = .zero

    /// Five seconds of each minute; after an hour of silence of two minutes, after four hours of five.
    public init(
        length: Duration = .seconds(5), pause: Duration = .seconds(55), beginsWithPause: Bool = false,
        patience: Duration = .seconds(3600)
    ) {
        self.length = length
        self.pause = pause
        self.beginsWithPause = beginsWithPause
        self.patience = patience
    }

    /// Beside a monitor of advertisements, which hears nothing of a peripheral that tells itself in scan responses only.
    var besideMonitor: ScanPace {
        ScanPace(length: length, pause: (length + pause) * 5 - length, beginsWithPause: true, patience: patience)
    }

    /// A scan is over: how long to wait for the next one.
    mutating func next(heard: Bool) -> Duration {
        silence = heard ? .zero : silence + length + pause
        if silence < patience { return pause }
        return (length + pause) * (silence < patience * 4 ? 2 : 5) - length
    }
}
