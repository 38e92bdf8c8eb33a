public import StepDomain
internal import Support
internal import Synchronization

/// Finding, registering, renaming and forgetting pedometers.
public struct Registration: Sendable {
    private let history: any StepHistory
    private let scanner: any PedometerScanner
    private let catalog: any PedometerCatalog

    /// - Parameter history: where pedometers are registered.
    public init(_ history: any StepHistory, scanner: any PedometerScanner, catalog: any PedometerCatalog) {
        self.history = history
        self.scanner = scanner
        self.catalog = catalog
    }

    /// The pedometer that the user wants to register.
    public struct Request: Sendable {
        /// Its address, or the beginning of the name that it advertises, in upper or lower case; nil for the only new
        /// pedometer in range.
        public var device: String?
        /// The user's name for it; nil for the advertised one.
        public var name: String?
        /// Key of its kind; nil to recognise it.
        public var kind: String?
        /// How a pedometer of the described kind is read.
        public var options: [String: String]
        /// Seconds to search; nil for the standard.
        public var seconds: Double?
        /// Whether devices that are not recognised by what they advertise are connected to, if no device is named.
        public var probes: Bool

        public init(
            device: String? = nil, name: String? = nil, kind: String? = nil, options: [String: String] = [:],
            seconds: Double? = nil,
            probes: Bool = false
        ) {
            self.device = device
            self.name = name
            self.kind = kind
            self.options = options
            self.seconds = seconds
            self.probes = probes
        }
    }

    public enum Step: Sendable, Hashable {
        /// For a device by address or name; nil for any pedometer.
        case searching(String?)
        /// It was not heard in the first seconds, only devices with these names.
        case searchingOn(String, others: [String])
        /// To a pedometer of this name.
        case connecting(String)
        /// To the advertisements of a pedometer of this name, which is not connected to.
        case listening(String)
        /// Its advertisements do not show its kind, so its services are read. With its name or address.
        case probing(String)
        /// It is about to be registered, and how it is read is not certain.
        case experimental(PedometerKind)
    }

    /// Seconds to search for one device: it is there as a rule, and the search ends when it is heard.
    static let secondsForOne = 15.0
    /// Seconds to search for others with a name, after one was heard.
    static let secondsForOthers = 3.0
    /// Seconds to search for any pedometer. The whole time is used, because all in range must be heard.
    static let secondsForAny = 6.0
    /// More pedometers than this are not listed in an error.
    private static let maximumListed = 10

    /// Checks the kind and the options of a request, for which neither a history nor the radio is needed.
    ///
    /// - Returns: the kind, nil if it is to be recognised; the complete options of a pedometer of the described kind.
    /// - Throws: `ServiceError`, the catalog's error.
    @discardableResult
    public static func checked(
        _ request: Request, _ catalog: any PedometerCatalog
    ) throws -> (kind: PedometerKind?, options: [String: String]) {
        guard let key = request.kind ?? (request.options.isEmpty ? nil : catalog.describedKind) else {
            return (nil, [:])
        }
        guard let kind = catalog.kind(key) else { throw ServiceError.unknownKind(key, known: catalog.kinds.map(\.key)) }
        guard key == catalog.describedKind else {
            if let option = request.options.keys.min() { throw ServiceError.optionOfDescribedKind(option) }
            return (kind, [:])
        }
        if request.device == nil { throw ServiceError.deviceNeeded }
        return (kind, try catalog.checked(request.options))
    }

    /// Finds a pedometer, connects to it to check what it is, and registers it.
    ///
    /// - Parameters:
    ///   - people: finds the owner, who may be new. Nobody is added unless the pedometer is found.
    ///   - plain: makes a name from the air harmless, so that a user can type it.
    /// - Throws: `ServiceError`, the errors of scanner, catalog and history.
    public func register(
        _ request: Request, of people: UserSelection, plain: @Sendable (String) -> String,
        progress: @Sendable (Step) -> Void = { _ in }
    ) async throws -> (pedometer: Pedometer, owner: User) {
        // Errors in the request are reported before the radio is used.
        let (kind, options) = try Self.checked(request, catalog)
        let (owner, known) = try await blocking { [history] in
            (try people.user(creating: .always), try history.pedometers())
        }
        if let device = request.device,
            let before = known.first(where: {
                $0.address == device.uppercased() || $0.name.lowercased() == device.lowercased()
            })
        {
            throw alreadyRegistered(before, owner, try await blocking { [history] in try history.users() })
        }
        if let name = request.name { try check(name, beside: known) }

        var (found, foundKind) = try await find(request, kind, except: known, plain, progress)
        var advertised = found.name ?? foundKind.key
        if catalog.address(advertised) != nil { advertised = foundKind.key }
        // A name that the user has chosen is not changed.
        let name = request.name ?? Self.unused(plain(advertised), known)
        func unregistered() -> Pedometer {
            Pedometer(
                user: owner.id, model: foundKind.key, address: found.address, addressType: found.addressType,
                name: name, options: options)
        }
        progress(foundKind.advertisesSteps ? .listening(name) : .connecting(name))
        var identity: PedometerAddress?
        do {
            identity = try await scanner.check(unregistered())
        } catch  where kind == nil && found.evidence == .name && !(error is CancellationError) {
            // Some devices of different makers have the same name.
            guard let other = try? await scanner.probe(found.address).kinds.first, other != foundKind else {
                throw error
            }
            foundKind = other
            identity = try await scanner.check(unregistered())
        }
        if let identity { (found.address, found.addressType) = (identity.address, identity.type) }
        if foundKind.isExperimental { progress(.experimental(foundKind)) }
        return try await blocking { [history, found, foundKind] in
            let stored = try people.stored(owner)
            let pedometer = Pedometer(
                user: stored.id, model: foundKind.key, address: found.address, addressType: found.addressType,
                name: name, options: options)
            return (try history.addPedometer(pedometer), stored)
        }
    }

    /// Gives a pedometer another name. Nothing else refers to it by its name.
    ///
    /// - Parameters:
    ///   - name: its name or address.
    ///   - user: the name of its user; nil for any.
    ///   - sources: sources of imports, which can be meant, too.
    ///   - new: 1 to 64 characters that can be shown on a terminal.
    /// - Throws: the errors of `PedometerSelection`; `ServiceError.nameIsAddress`, `.nameTaken`; the history's error.
    public func rename(
        _ name: String, ofUserNamed user: String? = nil, besides sources: [Pedometer] = [], to new: String
    ) throws -> (before: Pedometer, after: Pedometer) {
        let before = try PedometerSelection(history, ofUserNamed: user, besides: sources).pedometer(name)
        try check(new, beside: (history.pedometers() + sources).filter { $0.id != before.id })
        try history.renamePedometer(before.id, to: new)
        var after = before
        after.name = new
        return (before, after)
    }

    private func alreadyRegistered(_ pedometer: Pedometer, _ wanted: User, _ users: [User]) -> ServiceError {
        let owner = users.first { $0.id == pedometer.user && $0.id != wanted.id }
        return .alreadyRegistered(address: pedometer.address, name: pedometer.name, owner: owner?.name)
    }

    /// Whether a name can be given to a pedometer.
    private func check(_ name: String, beside others: [Pedometer]) throws(ServiceError) {
        guard catalog.address(name) == nil else { throw .nameIsAddress(name) }
        if let taken = others.first(where: { $0.name.lowercased() == name.lowercased() }) {
            throw .nameTaken(taken.name)
        }
    }

    /// Takes a pedometer out of use; its steps stay in the history.
    ///
    /// - Parameters:
    ///   - name: its name or address.
    ///   - user: the name of its user; nil for any.
    ///   - sources: sources of imports, which can be meant, too.
    ///   - unpairing: whether its pairing is removed from this machine, too.
    /// - Throws: the errors of `PedometerSelection`, scanner and history.
    public func forget(
        _ name: String, ofUserNamed user: String? = nil, besides sources: [Pedometer] = [], unpairing: Bool
    ) async throws -> Pedometer {
        let pedometer = try await blocking { [history] in
            try PedometerSelection(history, ofUserNamed: user, besides: sources).pedometer(name)
        }
        if unpairing, !pedometer.isOfImport { try await scanner.unpair(pedometer) }
        try await blocking { [history] in try history.forgetPedometer(pedometer.id) }
        return pedometer
    }

    // MARK: Finding it

    private func find(
        _ request: Request, _ kind: PedometerKind?, except known: [Pedometer], _ plain: (String) -> String,
        _ progress: @Sendable (Step) -> Void
    ) async throws -> (ScannedDevice, PedometerKind) {
        progress(.searching(request.device))
        guard let device = request.device else { return try await only(request, kind, known, progress) }
        let registered = Dictionary(known.map { ($0.address, $0.name) }, uniquingKeysWith: { $1 })
        let seconds = request.seconds ?? Self.secondsForOne
        let address = catalog.address(device)
        let conditions = ScanConditions(namePrefix: address == nil ? device : nil, address: address)
        let nameless = Mutex<ScannedDevice?>(nil), registeredOne = Mutex<ScannedDevice?>(nil)
        let withoutData = Mutex<ScannedDevice?>(nil), others = Mutex(NamesInRange())
        let isWanted = { @Sendable (discovered: ScannedDevice) -> Bool in
            // A second one of the same name may be in range.
            if registered[discovered.address] != nil {
                registeredOne.withLock { $0 = discovered }
                return false
            }
            // What a device advertises comes in parts: a later one may have the data of the kind.
            if let kind, kind.advertisesSteps, discovered.kind?.key != kind.key {
                withoutData.withLock { $0 = discovered }
                return false
            }
            if kind != nil || discovered.kind != nil { return true }
            // Its name may come with the next advertisement.
            if discovered.name == nil { nameless.withLock { $0 = discovered } }
            return discovered.name != nil
        }
        func search(_ seconds: Double) async throws -> ScannedDevice? {
            let discovered = try await scanner.first(
                conditions, seconds: seconds, passed: { other in others.withLock { $0.add(other) } }, where: isWanted)
            // A search that is cancelled ends like one whose time is over.
            try Task.checkCancellation()
            return discovered
        }
        var discovered = try await search(min(seconds, Self.secondsForOthers))
        let rest = seconds - Self.secondsForOthers
        if discovered == nil, rest > 0 {
            progress(.searchingOn(device, others: others.withLock { $0.names }))
            // If one of this name is registered, the user has most likely forgotten that: another one need not be
            // waited for that long.
            discovered = try await search(
                registeredOne.withLock { $0 } == nil ? rest : min(rest, Self.secondsForOthers))
        }
        guard var found = discovered ?? nameless.withLock({ $0 }) else {
            if let device = registeredOne.withLock({ $0 }), let name = registered[device.address] {
                throw ServiceError.alreadyRegistered(address: device.address, name: name)
            }
            if let kind, let device = withoutData.withLock({ $0 }) {
                throw ServiceError.advertisesOtherwise(device.name ?? device.address, kind: kind.title)
            }
            throw ServiceError.notDiscovered(
                device, isName: address == nil, seconds: seconds, others: others.withLock { $0.names }.map(plain))
        }
        if address == nil {
            // A neighbour may have one of the same name.
            let near = try await scanner.scan(conditions, seconds: min(seconds, Self.secondsForOthers)) { _ in }.devices
            try Task.checkCancellation()
            let first = found.address
            var alike =
                [found]
                + near.filter {
                    $0.address != first && registered[$0.address] == nil && conditions.matches(name: $0.name)
                }
            // A name in the same case as it was typed takes precedence.
            let exact = alike.filter {
                $0.name?.hasPrefix(device) == true && (kind?.advertisesSteps != true || $0.kind?.key == kind?.key)
            }
            if !exact.isEmpty { alike = exact }
            found = alike.first { $0.address == first } ?? alike.first { $0.kind != nil } ?? alike[0]
            let isRecognised = found.kind != nil
            alike.removeAll { kind == nil && isRecognised && $0.kind == nil }
            guard alike.count == 1 else { throw Self.several(alike) }
        }
        if let kind = kind ?? found.kind { return (found, kind) }
        progress(.probing(found.name ?? found.address))
        guard let recognised = try await scanner.probe(found.address).kinds.first else {
            throw ServiceError.notRecognised(found.name ?? found.address)
        }
        return (found, recognised)
    }

    private func only(
        _ request: Request, _ kind: PedometerKind?, _ known: [Pedometer], _ progress: @Sendable (Step) -> Void
    ) async throws -> (ScannedDevice, PedometerKind) {
        let seconds = request.seconds ?? Self.secondsForAny
        let discovered = try await scanner.scan(ScanConditions(), seconds: seconds) { _ in }.devices
        try Task.checkCancellation()
        var devices = discovered.filter { device in !known.contains { $0.address == device.address } }
        var unprobed = 0
        if request.probes {
            let unknown = devices.filter { $0.kind == nil }
            let results = await DeviceProbing(scanner).probe(unknown, limit: DeviceProbing.maximumProbed) {
                progress(.probing($0.name ?? $0.address))
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

    /// The name, cut so that a number fits, and with a number appended if another pedometer has it.
    private static func unused(_ name: String, _ known: [Pedometer]) -> String {
        let taken = Set(known.map { $0.name.lowercased() })
        let base = String(name.prefix(60))
        guard taken.contains(base.lowercased()) else { return base }
        return (2...).lazy.map { "\(base) \($0)" }.first { !taken.contains($0.lowercased()) } ?? base
    }
}
