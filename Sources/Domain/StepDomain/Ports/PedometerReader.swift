/// Reads pedometers over the air: what communication must do for the domain.
public protocol PedometerReader: Sendable {
    /// Connects, reads all that the pedometer has since its cursor, sets its clock, disconnects.
    ///
    /// Each batch goes to `merge`, and the next is asked for only after `merge` has returned: what was handed over is
    /// safe whatever happens next. The link is let go as soon as the last byte is in.
    ///
    /// - Throws: what went wrong, in the terms of the conformer; batches handed over before stay.
    func read(
        _ pedometer: Pedometer,
        progress: @escaping @Sendable (ReadProgress) -> Void,
        merge: @escaping @Sendable (SampleBatch) async throws -> Void
    ) async throws -> ReadReport
}

/// How far a reading has come.
public enum ReadProgress: Hashable, Sendable {
    case searching
    case connecting
    case reading(done: Int, of: Int)
    case settingClock
}

/// What a reading brought besides its batches.
public struct ReadReport: Hashable, Sendable {
    /// Per cent, 0...100, where the pedometer tells.
    public var battery: Int?
    /// The clock was set now, to this.
    public var clockSet: ClockState.Setting?
    public var notices: [SyncNotice]
    /// Seconds for which the pedometer was connected.
    public var connectedSeconds: Double
    /// Bytes of values received and sent.
    public var bytesReceived: Int
    public var bytesSent: Int

    public init(
        battery: Int? = nil, clockSet: ClockState.Setting? = nil, notices: [SyncNotice] = [],
        connectedSeconds: Double = 0, bytesReceived: Int = 0, bytesSent: Int = 0
    ) {
        self.battery = battery
        self.clockSet = clockSet
        self.notices = notices
        self.connectedSeconds = connectedSeconds
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
    }
}
