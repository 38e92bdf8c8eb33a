public import StepDomain
internal import Synchronization

/// A radio that hears given devices.
public final class ScriptedPedometerScanner: PedometerScanner {
    public struct Refused: Error {}

    private let devices: [ScannedDevice]
    private let refusals: Mutex<Int>
    private let probed: [PedometerKind]
    private let identity: PedometerAddress?
    private let isInterrupted: Bool
    private let calls = Mutex<(log: [String], conditions: [ScanConditions])>(([], []))

    /// - Parameters:
    ///   - refusals: checks that fail at first.
    ///   - probed: the kinds that the services of each device show.
    ///   - identity: the address that pairing shows.
    ///   - isInterrupted: each call cancels the task that makes it.
    public init(
        _ devices: [ScannedDevice], isRefusing: Bool = false, refusals: Int = 0, probed: [PedometerKind] = [],
        identity: PedometerAddress? = nil, isInterrupted: Bool = false
    ) {
        self.identity = identity
        self.isInterrupted = isInterrupted
        self.devices = devices
        self.refusals = Mutex(isRefusing ? .max : refusals)
        self.probed = probed
    }

    public var log: [String] { calls.withLock(\.log) }
    /// The conditions of the scans for one device.
    public var conditions: [ScanConditions] { calls.withLock(\.conditions) }

    private func note(_ call: String) {
        calls.withLock { $0.log.append(call) }
        if isInterrupted { withUnsafeCurrentTask { $0?.cancel() } }
    }

    public func scan(_ conditions: ScanConditions, seconds: Double, discovered: @escaping @Sendable (Int) -> Void)
        -> ScanOutcome
    {
        note("scan \(seconds)")
        return ScanOutcome(isInterrupted ? [] : devices)
    }

    public func first(
        _ conditions: ScanConditions, seconds: Double, passed: @escaping @Sendable (ScannedDevice) -> Void,
        where isWanted: @escaping @Sendable (ScannedDevice) throws -> Bool
    ) throws -> ScannedDevice? {
        note("first \(seconds)")
        calls.withLock { $0.conditions.append(conditions) }
        if isInterrupted { return nil }
        return try devices.first { device in
            guard conditions.address ?? device.address == device.address, conditions.matches(name: device.name) else {
                passed(device)
                return false
            }
            return try isWanted(device)
        }
    }

    public func check(_ pedometer: Pedometer) throws -> PedometerAddress? {
        note("check \(pedometer.name)")
        let isRefused = refusals.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if isRefused { throw Refused() }
        return identity
    }

    public func probe(_ address: String) throws -> ProbedDevice {
        note("probe \(address)")
        try Task.checkCancellation()
        return ProbedDevice(kinds: probed, services: [])
    }

    public func unpair(_ pedometer: Pedometer) { note("unpair \(pedometer.name)") }
}

/// Three kinds of pedometers.
public struct ScriptedCatalog: PedometerCatalog {
    public struct BadOption: Error {}

    public static let ring = PedometerKind(key: "ring", title: "a ring")

    public static let described = PedometerKind(key: "described", title: "another")
    /// Not connected to.
    public static let band = PedometerKind(key: "band", title: "a band", advertisesSteps: true)

    public let kinds = [ring, described, band]
    public let describedKind = "described"

    public init() {}

    public func checked(_ options: [String: String]) throws -> [String: String] {
        if options["service"] == "bad" { throw BadOption() }
        return options.merging(["format": "u32le"]) { own, _ in own }
    }

    public func address(_ text: String) -> String? { text.count == 17 && text.contains(":") ? text.uppercased() : nil }
    public func uuid(_ text: String) -> String? { text }
}
