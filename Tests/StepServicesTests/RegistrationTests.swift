import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistrationTests {
    private static let ring = ScannedDevice(
        address: "C0:DE:00:00:00:01", addressType: "public", name: "R02_A1B2", kind: ScriptedCatalog.ring)
    private static let other = ScannedDevice(
        address: "C0:DE:00:00:00:02", addressType: "random", name: "R02_C3D4", kind: ScriptedCatalog.ring)
    private static let watch = ScannedDevice(address: "C0:DE:00:00:00:03", addressType: "random", name: "InfiniTime")

    private let history = InMemoryHistory()

    private func register(
        _ request: Registration.Request, _ scanner: ScriptedPedometerScanner, user: String? = "anna"
    ) async throws -> (pedometer: Pedometer, owner: User) {
        try await Registration(history, scanner: scanner, catalog: ScriptedCatalog())
            .register(
                request, of: UserSelection(history, wanted: user, login: "root"),
                plain: { $0.replacing("\u{1b}", with: "?") })
    }

    @Test func `the only new pedometer in range is registered for a new user`() async throws {
        let scanner = ScriptedPedometerScanner([Self.watch, Self.ring])
        let (pedometer, owner) = try await register(.init(), scanner)
        #expect(
            pedometer.address == Self.ring.address && pedometer.addressType == "public" && pedometer.model == "ring")
        #expect(pedometer.name == "R02_A1B2" && owner.name == "anna" && pedometer.user == owner.id)
        #expect(history.pedometers() == [pedometer])
        #expect(scanner.log == ["scan 6.0", "check R02_A1B2"])
    }

    @Test func `registered pedometers are not counted among those in range`() async throws {
        _ = try await register(.init(device: Self.ring.address), ScriptedPedometerScanner([Self.ring]))
        let (second, _) = try await register(.init(seconds: 3), ScriptedPedometerScanner([Self.ring, Self.other]))
        #expect(second.address == Self.other.address)
        await #expect(throws: ServiceError.noNewPedometer(seconds: 3, others: 3)) {
            try await register(.init(seconds: 3), ScriptedPedometerScanner([Self.ring, Self.other, Self.watch]))
        }
    }

    @Test func `with several in range the user must choose, and nothing is stored`() async throws {
        let scanner = ScriptedPedometerScanner([Self.ring, Self.other])
        await #expect(
            throws: ServiceError.severalInRange(
                ["C0:DE:00:00:00:01 (R02_A1B2)", "C0:DE:00:00:00:02 (R02_C3D4)"], count: 2)
        ) { try await register(.init(), scanner) }
        #expect(history.users().isEmpty && history.pedometers().isEmpty)
        let crowd = (10..<30).map {
            ScannedDevice(address: "C0:DE:00:00:00:\($0)", addressType: "random", kind: ScriptedCatalog.ring)
        }
        let error = await #expect(throws: ServiceError.self) {
            try await register(.init(), ScriptedPedometerScanner(crowd))
        }
        guard case .severalInRange(let listed, count: 20) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(listed.count == 10)
    }

    @Test func `an address and the beginning of a name find one device`() async throws {
        let scanner = ScriptedPedometerScanner([Self.watch, Self.ring])
        _ = try await register(.init(device: "c0:de:00:00:00:01", name: "mine"), scanner)
        #expect(history.pedometers().map(\.name) == ["mine"])
        #expect(scanner.conditions == [ScanConditions(address: "C0:DE:00:00:00:01")])
        let byName = ScriptedPedometerScanner([Self.other])
        _ = try await register(.init(device: "R02_C", seconds: 9), byName)
        #expect(Set(byName.conditions) == [ScanConditions(namePrefix: "R02_C")])
        #expect(byName.log.prefix(2) == ["first 3.0", "scan 3.0"])
    }

    @Test func `a pedometer that is not in range is named as it was requested: a name or an address`() async throws {
        for (device, isName) in [("r02", true), (Self.ring.address, false)] {
            await #expect(throws: ServiceError.notDiscovered(device, isName: isName, seconds: 15)) {
                try await register(.init(device: device), ScriptedPedometerScanner([]))
            }
        }
    }

    @Test func `a name matches in upper and lower case, and one as it was typed counts more`() async throws {
        var lower = Self.ring
        (lower.address, lower.name) = ("C0:DE:00:00:00:04", "r02_x")
        await #expect(
            throws: ServiceError.severalInRange(
                ["C0:DE:00:00:00:01 (R02_A1B2)", "C0:DE:00:00:00:02 (R02_C3D4)"], count: 2)
        ) { try await register(.init(device: "r02"), ScriptedPedometerScanner([Self.ring, Self.other])) }
        // The other one is heard first.
        let (exact, _) = try await register(.init(device: "R02"), ScriptedPedometerScanner([lower, Self.ring]))
        #expect(exact.address == Self.ring.address)
        let (only, _) = try await register(
            .init(device: "r02_c"), ScriptedPedometerScanner([lower, Self.ring, Self.other]))
        #expect(only.address == Self.other.address)
    }

    @Test func `if nothing matches, names in range are listed, at most five, and those of pedometers first`()
        async throws
    {
        let phones = (10..<20).map {
            ScannedDevice(address: "C0:DE:00:00:00:\($0)", addressType: "random", name: "phone \($0)\u{1b}")
        }
        let scanner = ScriptedPedometerScanner(phones + [Self.watch, Self.ring, Self.ring])
        let names = ["R02_A1B2", "phone 10?", "phone 11?", "phone 12?", "phone 13?"]
        for (device, isName) in [("band", true), (Self.other.address, false)] {
            let error = ServiceError.notDiscovered(device, isName: isName, seconds: 15, others: names)
            await #expect(throws: error) { try await register(.init(device: device), scanner) }
        }
        #expect(history.pedometers().isEmpty)
    }

    @Test func `several devices that match the name are an error, and others do not count`() async throws {
        await #expect(
            throws: ServiceError.severalInRange(
                ["C0:DE:00:00:00:01 (R02_A1B2)", "C0:DE:00:00:00:02 (R02_C3D4)"], count: 2)
        ) { try await register(.init(device: "R02"), ScriptedPedometerScanner([Self.ring, Self.other, Self.watch])) }
        #expect(history.pedometers().isEmpty)
        _ = try await register(.init(device: "R02_A"), ScriptedPedometerScanner([Self.ring, Self.other]))
        // The other one is registered.
        _ = try await register(.init(device: "R02"), ScriptedPedometerScanner([Self.ring, Self.other]))
        #expect(history.pedometers().map(\.address) == [Self.ring.address, Self.other.address])
    }

    @Test func `a name that is taken, or in the form of an address, is refused before the radio is used`() async throws
    {
        _ = try await register(.init(device: Self.ring.address, name: "Mine"), ScriptedPedometerScanner([Self.ring]))
        let scanner = ScriptedPedometerScanner([Self.other])
        await #expect(throws: ServiceError.nameTaken("Mine")) { try await register(.init(name: "mine"), scanner) }
        await #expect(throws: ServiceError.nameIsAddress("C0:DE:00:00:00:01")) {
            try await register(.init(name: "C0:DE:00:00:00:01"), scanner)
        }
        await #expect(throws: ServiceError.alreadyRegistered(address: Self.ring.address, name: "Mine")) {
            try await register(.init(device: "mine"), scanner)
        }
        #expect(scanner.log.isEmpty)
        // What a device advertises may be the address of another one.
        var impostor = Self.other
        impostor.name = Self.ring.address
        let (pedometer, _) = try await register(.init(), ScriptedPedometerScanner([impostor]))
        #expect(pedometer.name == ScriptedCatalog.ring.key)
        #expect(try PedometerSelection(history).pedometer(Self.ring.address).name == "Mine")
    }

    @Test func `a registered address is refused before the radio is used`() async throws {
        _ = try await register(.init(device: Self.ring.address), ScriptedPedometerScanner([Self.ring]))
        let scanner = ScriptedPedometerScanner([Self.ring])
        await #expect(throws: ServiceError.alreadyRegistered(address: Self.ring.address, name: "R02_A1B2")) {
            try await register(.init(device: "c0:de:00:00:00:01"), scanner)
        }
        #expect(scanner.log.isEmpty)
    }

    @Test func `a registered pedometer is refused without a connection, and another one of that name is found`()
        async throws
    {
        _ = try await register(.init(device: Self.ring.address, name: "mine"), ScriptedPedometerScanner([Self.ring]))
        let scanner = ScriptedPedometerScanner([Self.ring])
        await #expect(throws: ServiceError.alreadyRegistered(address: Self.ring.address, name: "mine")) {
            try await register(.init(device: "R02_"), scanner)
        }
        #expect(scanner.log == ["first 3.0", "first 3.0"], "no connection, and not the whole search")
        let (second, _) = try await register(.init(device: "R02_"), ScriptedPedometerScanner([Self.ring, Self.other]))
        #expect(second.address == Self.other.address)
    }

    @Test func `a device that is not recognised is identified by its services`() async throws {
        var nameless = Self.watch
        nameless.name = nil
        let scanner = ScriptedPedometerScanner([nameless, Self.watch])
        await #expect(throws: ServiceError.notRecognised("InfiniTime")) {
            try await register(.init(device: Self.watch.address), scanner)
        }
        #expect(scanner.log.last == "probe \(Self.watch.address)")
        await #expect(throws: ServiceError.notRecognised(Self.watch.address)) {
            try await register(.init(device: Self.watch.address), ScriptedPedometerScanner([nameless]))
        }
        let known = ScriptedPedometerScanner([nameless], probed: [ScriptedCatalog.ring])
        let (pedometer, _) = try await register(.init(device: Self.watch.address, name: "mine"), known)
        #expect(pedometer.model == ScriptedCatalog.ring.key)
        #expect(known.log == ["first 3.0", "first 12.0", "probe \(Self.watch.address)", "check mine"])
    }

    @Test func `a device that advertises nothing known is found by its services in one command`() async throws {
        let scanner = ScriptedPedometerScanner([Self.watch], probed: [ScriptedCatalog.ring])
        let (pedometer, _) = try await register(.init(probes: true), scanner)
        #expect(pedometer.model == ScriptedCatalog.ring.key && pedometer.address == Self.watch.address)
        #expect(scanner.log == ["scan 6.0", "probe \(Self.watch.address)", "check InfiniTime"])
        // Without the option no unknown device is connected to.
        let plain = ScriptedPedometerScanner([Self.watch], probed: [ScriptedCatalog.ring])
        await #expect(throws: ServiceError.noNewPedometer(seconds: 6, others: 1)) { try await register(.init(), plain) }
        #expect(plain.log == ["scan 6.0"])
        await #expect(throws: ServiceError.noNewPedometer(seconds: 6, others: 0)) {
            try await register(.init(probes: true), ScriptedPedometerScanner([]))
        }
    }

    @Test func `with probing, too, the user chooses among several`() async throws {
        let scanner = ScriptedPedometerScanner([Self.ring, Self.watch], probed: [ScriptedCatalog.ring])
        await #expect(
            throws: ServiceError.severalInRange(
                ["C0:DE:00:00:00:01 (R02_A1B2)", "C0:DE:00:00:00:03 (InfiniTime)"], count: 2)
        ) { try await register(.init(probes: true), scanner) }
        #expect(
            scanner.log == ["scan 6.0", "probe \(Self.watch.address)"], "one that is recognised is not connected to")
        let crowd = (10..<40).map { ScannedDevice(address: "C0:DE:00:00:00:\($0)", addressType: "random") }
        let busy = ScriptedPedometerScanner(crowd)
        await #expect(throws: ServiceError.noNewPedometer(seconds: 6, others: 30, unprobed: 20)) {
            try await register(.init(probes: true), busy)
        }
        #expect(busy.log.count == 11)
    }

    @Test(arguments: [
        Registration.Request(device: Self.ring.address), .init(device: "R02"), .init(), .init(probes: true),
    ])
    func `a search that the user interrupts has not failed to hear the pedometer`(_ request: Registration.Request)
        async throws
    {
        let search = Task { try await register(request, ScriptedPedometerScanner([Self.ring], isInterrupted: true)) }
        await #expect(throws: CancellationError.self) { _ = try await search.value }
        #expect(history.pedometers().isEmpty)
    }

    /// A device that advertises its steps is not connected to: nothing else would show that it is another one.
    @Test func `a device that advertises no data of the model is an error, and one that does so later is added`()
        async throws
    {
        let band = ScriptedCatalog.band
        let scanner = ScriptedPedometerScanner([Self.watch])
        await #expect(throws: ServiceError.advertisesOtherwise("InfiniTime", kind: band.title)) {
            try await register(.init(device: Self.watch.address, kind: band.key), scanner)
        }
        #expect(!scanner.log.contains { $0.hasPrefix("check") })
        var later = Self.watch
        later.kind = band
        let (pedometer, _) = try await register(
            .init(device: Self.watch.address, kind: band.key), ScriptedPedometerScanner([Self.watch, later]))
        #expect(pedometer.model == band.key)
    }

    @Test func `a pedometer is registered with the address that pairing has shown`() async throws {
        let identity = PedometerAddress(address: "C0:DE:00:00:00:77", type: "public")
        let (pedometer, _) = try await register(.init(), ScriptedPedometerScanner([Self.other], identity: identity))
        #expect(pedometer.address == identity.address && pedometer.addressType == "public")
    }

    @Test func `a device recognised only by its name is registered as the model that its services show`() async throws {
        var impostor = Self.ring
        impostor.kind = ScriptedCatalog.described
        impostor.evidence = .name
        let scanner = ScriptedPedometerScanner([impostor], refusals: 1, probed: [ScriptedCatalog.ring])
        let (pedometer, _) = try await register(.init(), scanner)
        #expect(pedometer.model == ScriptedCatalog.ring.key)
        // With certain evidence, the failure of the check is the result.
        (impostor.evidence, impostor.address) = (.advertisedService, "C0:DE:00:00:00:09")
        let certain = ScriptedPedometerScanner([impostor], refusals: 1, probed: [ScriptedCatalog.ring])
        await #expect(throws: ScriptedPedometerScanner.Refused.self) { try await register(.init(), certain) }
    }

    @Test func `missing or invalid options of a pedometer are reported before the radio is used`() async throws {
        let scanner = ScriptedPedometerScanner([Self.watch])
        await #expect(throws: ServiceError.deviceNeeded) {
            try await register(.init(options: ["service": "180d"]), scanner)
        }
        await #expect(throws: ScriptedCatalog.BadOption.self) {
            try await register(.init(device: "Infini", options: ["service": "bad"]), scanner)
        }
        await #expect(throws: ServiceError.unknownKind("shoe", known: ["ring", "described", "band"])) {
            try await register(.init(kind: "shoe"), scanner)
        }
        await #expect(throws: ServiceError.optionOfDescribedKind("format")) {
            try await register(
                .init(device: "Infini", kind: "ring", options: ["service": "180d", "format": "u32le"]), scanner)
        }
        #expect(scanner.log.isEmpty)
        let (pedometer, _) = try await register(.init(device: "Infini", options: ["service": "180d"]), scanner)
        #expect(pedometer.model == "described" && pedometer.options == ["service": "180d", "format": "u32le"])
    }

    @Test func `no user is added if the check fails`() async throws {
        let scanner = ScriptedPedometerScanner([Self.ring], isRefusing: true)
        await #expect(throws: ScriptedPedometerScanner.Refused.self) { try await register(.init(), scanner) }
        #expect(history.users().isEmpty && history.pedometers().isEmpty)
    }

    @Test func `control characters in an advertised name are replaced, and a used name gets a number`() async throws {
        var hostile = Self.ring
        hostile.name = "R02\u{1b}"
        _ = try await register(.init(), ScriptedPedometerScanner([hostile]))
        var second = Self.other
        second.name = "r02\u{1b}"
        _ = try await register(.init(), ScriptedPedometerScanner([second]))
        #expect(Set(history.pedometers().map(\.name)) == ["R02?", "r02? 2"])
    }

    @Test func `a name that the user has chosen is not changed`() async throws {
        let name = String(repeating: "n", count: 63) + "\u{1b}"
        let (pedometer, _) = try await register(
            .init(device: Self.ring.address, name: name), ScriptedPedometerScanner([Self.ring]))
        #expect(pedometer.name == name)
        var long = Self.other
        long.name = String(repeating: "m", count: 63) + "\u{1b}"
        let (second, _) = try await register(.init(device: long.address), ScriptedPedometerScanner([long]))
        #expect(second.name == String(repeating: "m", count: 60))
    }

    @Test func `a pedometer is renamed by its name or address, unless another one has the name`() async throws {
        let (ring, _) = try await register(
            .init(device: Self.ring.address, name: "ring"), ScriptedPedometerScanner([Self.ring]))
        _ = try await register(.init(device: Self.other.address, name: "band"), ScriptedPedometerScanner([Self.other]))
        let scanner = ScriptedPedometerScanner([])
        let registration = Registration(history, scanner: scanner, catalog: ScriptedCatalog())
        #expect(throws: ServiceError.unknownPedometer("watch", known: ["band", "ring"])) {
            try registration.rename("watch", to: "x")
        }
        #expect(throws: ServiceError.nameTaken("band")) { try registration.rename("ring", to: "BAND") }
        #expect(throws: ServiceError.nameIsAddress(Self.watch.address)) {
            try registration.rename("ring", to: Self.watch.address)
        }
        let (before, after) = try registration.rename("RING", to: "bedroom")
        #expect(
            before == ring && after.name == "bedroom"
                && history.pedometers() == [history.pedometer(2), after].compactMap(\.self))
        #expect(try registration.rename(Self.ring.address, to: "Bedroom").after.name == "Bedroom")
        #expect(scanner.log.isEmpty)
    }

    @Test func `a forgotten pedometer is unpaired on request only`() async throws {
        let (pedometer, _) = try await register(.init(), ScriptedPedometerScanner([Self.ring]))
        let scanner = ScriptedPedometerScanner([])
        let registration = Registration(history, scanner: scanner, catalog: ScriptedCatalog())
        await #expect(throws: ServiceError.unknownPedometer("watch", known: ["R02_A1B2"])) {
            try await registration.forget("watch", unpairing: true)
        }
        #expect(try await registration.forget("r02_a1b2", unpairing: false) == pedometer)
        #expect(scanner.log.isEmpty && history.pedometers().isEmpty)

        _ = try await register(.init(), ScriptedPedometerScanner([Self.ring]))
        _ = try await registration.forget(Self.ring.address, unpairing: true)
        #expect(scanner.log == ["unpair R02_A1B2"])
    }
}
