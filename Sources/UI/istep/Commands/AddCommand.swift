import ArgumentParser
import BlueZ
import Pedometers
import StepDomain
import StepViews

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Take a pedometer on.",
        discussion: """
            Finds it, connects to see that it is what it should be, and remembers it. Without an address it takes the one \
            pedometer in range, if there is just one.

              istep add                              the only pedometer in range
              istep add C0:DE:00:00:00:01 --name ring
              istep add InfiniTime --model generic --service 00030000-78fc-48fe-8e23-433b3a1942d0 \\
                    --characteristic 00030001-78fc-48fe-8e23-433b3a1942d0 --format u32le --counts today

            The last describes a pedometer that istep does not know: the service and characteristic that hold its steps, how \
            the number is written (u16, u24, u32; le, be; @ and an offset), and whether it counts today's steps or all.
            """)

    @Argument(help: ArgumentHelp("Its address, or the beginning of the name that it advertises.", valueName: "address"))
    var address: String?

    @Option(help: ArgumentHelp("How you want to call it; by default the name that it advertises.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("What it is: \(PedometerRegistry.models.map { $0.key }.joined(separator: ", ")).", valueName: "model"))
    var model: String?

    @Option(help: ArgumentHelp("Generic: the service that holds its steps.", valueName: "uuid"))
    var service: String?

    @Option(help: ArgumentHelp("Generic: the characteristic that holds its steps.", valueName: "uuid"))
    var characteristic: String?

    @Option(help: ArgumentHelp("Generic: how the number is written, such as u32le or u24be@1.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("Generic: today or total.", valueName: "what"))
    var counts: String?

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    private var options: [String: String] {
        ["service": service, "characteristic": characteristic, "format": format, "counts": counts].compactMapValues(\.self)
    }

    func validate() throws {
        if let name { try Words.checkName(name, of: "--name") }
        if let address { try check(address) }
        if let model, !PedometerRegistry.models.contains(where: { $0.key == model }) {
            let known = PedometerRegistry.models.map { $0.key }.joined(separator: ", ")
            throw ValidationError("There is no model '\(model)'; istep knows \(known).")
        }
        if !options.isEmpty, model != nil, model != Generic.key {
            throw ValidationError("--\(options.keys.sorted()[0]) is for --model generic only.")
        }
    }

    private func check(_ address: String) throws {
        if address.allSatisfy(\.isWhitespace) {
            throw ValidationError("The address is empty. Leave it out to take the only pedometer in range.")
        }
        if address.contains(":"), DeviceAddress(address) == nil {
            throw ValidationError("'\(address)' is no address; one is written like C0:DE:00:00:00:01.")
        }
    }

    func run() async throws {
        // What is wrong in the words is told before the radio is touched.
        let options = usesGeneric ? try GenericOptions(self.options).stored : [:]
        let wiring = try Wiring(common, bluetooth)
        let history = try wiring.history(for: .creating)
        let user = try wiring.user(in: history, allowing: .anybody)
        let known = try history.pedometers()
        if let address, let before = known.first(where: { $0.address == address.uppercased() }) {
            throw CommandFailure(.usage, "\(before.address) is added already: it is '\(before.name)'.")
        }

        let progress = wiring.progress()
        defer { progress.end() }
        let (discovery, kind) = try await wiring.withCentral { try await find($0, wiring, progress, except: known) }
        func pedometer(of user: User) -> Pedometer {
            Pedometer(
                id: 0, user: user.id, model: kind.key, address: discovery.address.description,
                addressType: discovery.addressType.rawValue, name: unused(name ?? discovery.name ?? kind.key, known),
                options: options)
        }
        let candidate = pedometer(of: user)
        progress.step("Connecting to \(Printable(candidate.name))")
        try await wiring.reader().check(candidate)
        // Only now: a pedometer that is not found makes nobody a user.
        let owner = try wiring.stored(user, in: history)
        let added = try history.addPedometer(pedometer(of: owner))
        progress.end()
        if common.json {
            try wiring.show(
                DevicesView([.init(pedometer: added, model: wiring.title(ofModel: added.model), user: owner.name, lastSync: nil)],
                    now: wiring.now(), localTime: wiring.localTime))
        } else {
            try wiring.say("Added \(Printable(added.name)), a \(wiring.title(ofModel: added.model)), for \(Printable(owner.name)).")
            try wiring.say("Read its steps with: istep sync")
        }
    }

    private var usesGeneric: Bool { model == Generic.key || (model == nil && !options.isEmpty) }

    // MARK: Finding it

    private typealias Kind = any PedometerModel.Type

    private func find(
        _ central: Central, _ wiring: Wiring, _ progress: Progress, except known: [Pedometer]
    ) async throws -> (Discovery, Kind) {
        let chosen: Kind? = usesGeneric ? Generic.self : try model.map { key throws(PedometerError) in try PedometerRegistry.model(key) }
        guard let address else {
            // All in range shall have been heard, so the whole time is waited for: shorter than for one that is known to be there.
            return try await only(central, wiring, progress, chosen, known, .seconds(wiring.searchTime(otherwise: 6)))
        }
        let limit = Duration.seconds(wiring.searchTime(otherwise: 15))
        progress.step("Looking for \(Printable(address))")
        let wanted = DeviceAddress(address)
        let filter = wanted.map { ScanFilter(address: $0) } ?? ScanFilter(namePrefix: address)
        for try await discovery in await central.scan(filter, adapter: wiring.adapter, limit: limit) {
            if let kind = chosen ?? PedometerRegistry.model(of: discovery) { return (discovery, kind) }
            // Heard, but the name may come with the next advertisement; a chosen model need not wait for it.
            guard discovery.name != nil else { continue }
            throw CommandFailure(
                .usage, "\(Printable(discovery.name ?? address)) is no pedometer that istep recognises.",
                advice: "If it shows its steps in a characteristic, describe it: istep add --help, --model generic.")
        }
        throw BluetoothError.peripheralNotFound(address, seconds: Double(limit.components.seconds))
    }

    private func only(
        _ central: Central, _ wiring: Wiring, _ progress: Progress, _ chosen: Kind?, _ known: [Pedometer], _ limit: Duration
    ) async throws -> (Discovery, Kind) {
        guard chosen?.key != Generic.key else {
            throw CommandFailure(.usage, "A generic pedometer needs its address or name.", advice: "See them with: istep scan --all")
        }
        progress.step("Looking for pedometers")
        let heard = try await Neighbourhood.collect(await central.scan(adapter: wiring.adapter, limit: limit))
        let found = heard.compactMap { discovery in
            PedometerRegistry.model(of: discovery).map { (discovery, $0) }
        }.filter { pair in
            !known.contains { $0.address == pair.0.address.description } && (chosen == nil || chosen?.key == pair.1.key)
        }
        if let first = found.first, found.count == 1 { return first }
        if found.isEmpty { throw BluetoothError.peripheralNotFound("a new pedometer", seconds: Double(limit.components.seconds)) }
        let list = found.map { "\($0.0.address) (\(Printable($0.0.name ?? "no name")))" }.joined(separator: ", ")
        throw CommandFailure(.usage, "\(found.count) pedometers are in range: \(list).", advice: "Say which: istep add ADDRESS")
    }

    /// The name itself, or with a number behind it when another pedometer has it.
    private func unused(_ name: String, _ known: [Pedometer]) -> String {
        let taken = Set(known.map { $0.name.lowercased() })
        let base = String(Printable(name).description.prefix(60))
        guard self.name == nil, taken.contains(base.lowercased()) else { return base }
        return (2...).lazy.map { "\(base) \($0)" }.first { !taken.contains($0.lowercased()) } ?? base
    }
}
