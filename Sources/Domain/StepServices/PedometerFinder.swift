import StepDomain
internal import Synchronization

/// Finds the pedometer in range that a user wants to register, and what kind it is.
struct PedometerFinder {
    let scanner: any PedometerScanner
    let catalog: any PedometerCatalog
    let request: Registration.Request
    /// As requested; nil to recognise it.
    let kind: PedometerKind?
    /// Those that are registered.
    let known: [Pedometer]
    /// Makes a name from the air harmless.
    let plain: @Sendable (String) -> String
    let progress: @Sendable (Registration.Step) -> Void

    /// Seconds to search for others with a name, after one was heard.
    private static let secondsForOthers = 3.0
    /// More pedometers than this are not listed in an error.
    private static let maximumListed = 10

    /// - Throws: `ServiceError`, the scanner's error.
    func find() async throws -> (ScannedDevice, PedometerKind) {
        progress(.searching(request.device))
        guard let device = request.device else { return try await only() }
        let wanted = Search(for: device, catalog.address(device), kind, known)
        var found = try await search(wanted)
        if wanted.conditions.address == nil { found = try await only(found, ofName: device, wanted) }
        if let kind = kind ?? found.kind { return (found, kind) }
        progress(.probing(found.name ?? found.address))
        guard let recognised = try await scanner.probe(found.address).kinds.first else {
            throw ServiceError.notRecognised(found.name ?? found.address)
        }
        return (found, recognised)
    }

    /// A device with the address or the name of the request.
    private func search(_ search: Search) async throws -> ScannedDevice {
        let seconds = request.seconds ?? SearchTime.device
        let heard = Mutex(search)
        func first(_ seconds: Double) async throws -> ScannedDevice? {
            let discovered = try await scanner.first(
                search.conditions, seconds: seconds, passed: { other in heard.withLock { $0.others.add(other) } },
                where: { device in heard.withLock { $0.isWanted(device) } })
            // A search that is cancelled ends like one whose time is over.
            try Task.checkCancellation()
            return discovered
        }
        if let found = try await first(min(seconds, Self.secondsForOthers)) { return found }
        let rest = seconds - Self.secondsForOthers
        if rest > 0 {
            let soFar = heard.withLock(\.self)
            progress(.searchingOn(search.device, others: soFar.others.names))
            // If one of this name is registered, the user has most likely forgotten that: another one need not be
            // waited for that long.
            let found = try await first(soFar.registered == nil ? rest : min(rest, Self.secondsForOthers))
            if let found { return found }
        }
        let result = heard.withLock(\.self)
        if let nameless = result.nameless { return nameless }
        throw result.failure(seconds: seconds, plain)
    }

    /// The same device, if it is the only new one in range whose name begins with this one: a neighbour may have one.
    private func only(_ found: ScannedDevice, ofName device: String, _ search: Search) async throws -> ScannedDevice {
        let seconds = min(request.seconds ?? SearchTime.device, Self.secondsForOthers)
        let near = try await scanner.scan(search.conditions, seconds: seconds) { _ in }.devices
        try Task.checkCancellation()
        var alike =
            [found]
            + near.filter {
                $0.address != found.address && search.names[$0.address] == nil
                    && search.conditions.matches(name: $0.name)
            }
        // A name in the same case as it was typed takes precedence.
        let exact = alike.filter {
            $0.name?.hasPrefix(device) == true && (kind?.advertisesSteps != true || $0.kind?.key == kind?.key)
        }
        if !exact.isEmpty { alike = exact }
        let chosen = alike.first { $0.address == found.address } ?? alike.first { $0.kind != nil } ?? alike[0]
        let isRecognised = chosen.kind != nil
        alike.removeAll { kind == nil && isRecognised && $0.kind == nil }
        guard alike.count == 1 else { throw Self.several(alike) }
        return chosen
    }

    /// The only new pedometer in range.
    private func only() async throws -> (ScannedDevice, PedometerKind) {
        let seconds = request.seconds ?? SearchTime.anyPedometer
        let discovered = try await scanner.scan(ScanConditions(), seconds: seconds) { _ in }.devices
        try Task.checkCancellation()
        var devices = discovered.filter { device in !known.contains { $0.address == device.address } }
        var unprobed = 0
        if request.probes {
            let unknown = devices.filter { $0.kind == nil }
            let results = await DeviceProbing(scanner).probe(unknown, limit: DeviceProbing.maximumProbed) {
                [progress] in progress(.probing($0.name ?? $0.address))
            }
            try Task.checkCancellation()
            unprobed = results.devices.count { !results.probed.contains($0.address) }
            devices = devices.filter { $0.kind != nil } + results.devices
        }
        let found =
            devices
            .compactMap { device in device.kind.map { (device, $0) } }
            .filter { pair in kind == nil || kind?.key == pair.1.key }
        guard let first = found.first else {
            throw ServiceError.noNewPedometer(seconds: seconds, others: discovered.count, unprobed: unprobed)
        }
        guard found.count == 1 else { throw Self.several(found.map(\.0)) }
        return first
    }

    private static func several(_ devices: [ScannedDevice]) -> ServiceError {
        .severalInRange(
            devices.prefix(maximumListed).map { "\($0.address) (\(String(($0.name ?? "no name").prefix(64))))" },
            count: devices.count)
    }
}

/// What a search for one device has heard: which device is wanted, and why the others are not.
private struct Search: Sendable {
    /// As the user has typed it.
    let device: String
    let conditions: ScanConditions
    /// The names of the registered pedometers, by address.
    let names: [String: String]
    private let kind: PedometerKind?
    /// The last one that is registered already.
    private(set) var registered: ScannedDevice?
    /// One that may have a name in its next advertisement, and is taken if it has none.
    private(set) var nameless: ScannedDevice?
    /// One that has not advertised the steps of the kind.
    private var withoutData: ScannedDevice?
    /// Those that do not match the conditions.
    var others = NamesInRange()

    init(for device: String, _ address: String?, _ kind: PedometerKind?, _ known: [Pedometer]) {
        self.device = device
        self.kind = kind
        conditions = ScanConditions(namePrefix: address == nil ? device : nil, address: address)
        names = Dictionary(known.map { ($0.address, $0.name) }, uniquingKeysWith: { $1 })
    }

    mutating func isWanted(_ discovered: ScannedDevice) -> Bool {
        // A second one of the same name may be in range.
        if names[discovered.address] != nil {
            registered = discovered
            return false
        }
        // What a device advertises comes in parts: a later one may have the data of the kind.
        if let kind, kind.advertisesSteps, discovered.kind?.key != kind.key {
            withoutData = discovered
            return false
        }
        if kind != nil || discovered.kind != nil { return true }
        // Its name may come with the next advertisement.
        if discovered.name == nil { nameless = discovered }
        return discovered.name != nil
    }

    /// Why none was found.
    func failure(seconds: Double, _ plain: (String) -> String) -> ServiceError {
        if let registered, let name = names[registered.address] {
            return .alreadyRegistered(address: registered.address, name: name)
        }
        if let kind, let withoutData {
            return .advertisesOtherwise(withoutData.name ?? withoutData.address, kind: kind.title)
        }
        return .notDiscovered(
            device, isName: conditions.address == nil, seconds: seconds, others: others.names.map(plain))
    }
}
