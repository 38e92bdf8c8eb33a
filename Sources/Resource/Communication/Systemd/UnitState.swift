internal import DBus

/// The state of a unit in systemd. Times are seconds since 1970.
public struct UnitState: Sendable, Hashable {
    /// Such as `istep-sync.timer`.
    public var name: String
    /// Whether there is a file for it, or was when it was last loaded.
    public var isInstalled: Bool
    /// Whether it starts by itself.
    public var isEnabled: Bool
    /// Whether it runs: for a timer, whether it waits for its next time.
    public var isActive: Bool
    /// Of a timer: when it last fired; nil for never, or a unit of another type.
    public var lastTrigger: Int?
    /// Of a timer: when it fires next.
    public var nextElapse: Int?
    /// Of a service: systemd's word for how its last run ended, such as `success`, `exit-code`, `timeout`; nil if it has not run since
    /// boot.
    public var lastResult: String?
    /// Of a service: the exit code of its last run.
    public var exitStatus: Int?
    /// Of a service: when its last run ended.
    public var lastExit: Int?

    public init(
        name: String, isInstalled: Bool = false, isEnabled: Bool = false, isActive: Bool = false, lastTrigger: Int? = nil,
        nextElapse: Int? = nil, lastResult: String? = nil, exitStatus: Int? = nil, lastExit: Int? = nil
    ) {
        self.name = name
        self.isInstalled = isInstalled
        self.isEnabled = isEnabled
        self.isActive = isActive
        self.lastTrigger = lastTrigger
        self.nextElapse = nextElapse
        self.lastResult = lastResult
        self.exitStatus = exitStatus
        self.lastExit = lastExit
    }
}

extension UnitState {
    /// - Parameters:
    ///   - unit: properties of the interface `Unit`.
    ///   - own: those of the unit's own type, `Timer` or `Service`.
    init(_ name: String, unit: [String: DBusValue], own: [String: DBusValue]) {
        self.init(name: name)
        isInstalled = unit["LoadState"]?.stringValue == "loaded"
        isEnabled = unit["UnitFileState"]?.stringValue?.hasPrefix("enabled") ?? false
        isActive = ["active", "activating", "reloading"].contains(unit["ActiveState"]?.stringValue)
        lastTrigger = Self.seconds(own["LastTriggerUSec"])
        nextElapse = Self.seconds(own["NextElapseUSecRealtime"])
        lastExit = Self.seconds(own["ExecMainExitTimestamp"])
        guard lastExit != nil else { return }
        lastResult = own["Result"]?.stringValue
        // 1 is CLD_EXITED of <signal.h>: otherwise the number is a signal's.
        if own["ExecMainCode"]?.intValue == 1 { exitStatus = own["ExecMainStatus"]?.intValue }
    }

    /// From microseconds; systemd uses 0 and the greatest number for never, and `intValue` of the greatest is nil.
    private static func seconds(_ value: DBusValue?) -> Int? {
        guard let microseconds = value?.intValue, microseconds > 0 else { return nil }
        return microseconds / 1_000_000
    }
}

/// Which of systemd's managers: the machine's, or that of the user who runs this program.
public enum UnitScope: String, Sendable, Hashable, CaseIterable {
    case user, system
}
