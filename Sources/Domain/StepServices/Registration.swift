public import StepDomain
internal import Support

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
        _ request: Request, of people: UserSelection, plain: @escaping @Sendable (String) -> String,
        progress: @escaping @Sendable (Step) -> Void = { _ in }
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

        var (found, foundKind) = try await PedometerFinder(
            scanner: scanner, catalog: catalog, request: request, kind: kind, known: known, plain: plain,
            progress: progress
        ).find()
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

    /// The name, cut so that a number fits, and with a number appended if another pedometer has it.
    private static func unused(_ name: String, _ known: [Pedometer]) -> String {
        let taken = Set(known.map { $0.name.lowercased() })
        let base = String(name.prefix(60))
        guard taken.contains(base.lowercased()) else { return base }
        return (2...).lazy.map { "\(base) \($0)" }.first { !taken.contains($0.lowercased()) } ?? base
    }
}
