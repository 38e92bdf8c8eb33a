import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct AddCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register a pedometer.",
        discussion: """
            Finds the pedometer, connects to verify its model, and registers it. Without an address it registers the only \
            pedometer in range.

              istep add                              the only pedometer in range
              istep add C0:DE:00:00:00:01 --name ring
              istep add InfiniTime
              istep add --probe                      one that does not advertise its model
              istep add Stepper --model generic --service fff0 \\
                --characteristic fff1 --format u32le --counts today

            The last example describes a pedometer that istep does not know: the service and the characteristic that hold its steps. --format \
            is u16, u24 or u32, then le or be, then @ and an offset if it is not 0. --counts is today if the number is reset at \
            midnight, otherwise total.
            """)
    static let documents = [JSONUse(.devices)]

    @Argument(
        help: ArgumentHelp(
            "The address, or the beginning of the advertised name, in upper or lower case.", valueName: "address"))
    var address: String?

    @Option(help: ArgumentHelp("A name of your choice (default: the advertised name).", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The model: \(Wiring.catalog.kinds.map(\.key).joined(separator: ", ")).", valueName: "model"),
        completion: .list(Wiring.catalog.kinds.map(\.key)))
    var model: String?

    @Option(help: ArgumentHelp("Generic: UUID of the service with the steps.", valueName: "uuid"))
    var service: String?

    @Option(help: ArgumentHelp("Generic: UUID of the characteristic with the steps.", valueName: "uuid"))
    var characteristic: String?

    @Option(help: ArgumentHelp("Generic: how the number is written, such as u32le or u24be@1.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("Generic: today or total.", valueName: "what"))
    var counts: String?

    @Flag(help: "Connect to unknown devices in range, and recognise the pedometer by its services.")
    var probe = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    private var options: [String: String] {
        ["service": service, "characteristic": characteristic, "format": format, "counts": counts].compactMapValues(
            \.self)
    }

    func validate() throws {
        if let name { try ArgumentRules.checkName(name, of: "--name") }
        if let address { try check(address) }
        if probe, address != nil { throw ValidationError("--probe cannot be combined with an address.") }
    }

    private func check(_ address: String) throws {
        if address.allSatisfy(\.isWhitespace) {
            throw ValidationError("The address is empty. Leave it out to register the only pedometer in range.")
        }
        if let problem = RegistrationWords.problem(
            ofDevice: address, isAddress: { Wiring.catalog.address($0) != nil })
        {
            throw ValidationError(problem)
        }
    }

    func run() async throws {
        var request = Registration.Request(device: address, name: name, kind: model, options: options, probes: probe)
        // Before a history is created.
        try Registration.checked(request, Wiring.catalog)
        let wiring = try Wiring(common, bluetooth)
        request.seconds = wiring.chosenSearchTime
        let history = try await blocking { try wiring.history(for: .creating) }
        let progress = wiring.progress()
        defer { progress.end() }
        let (added, owner) = try await wiring.registration(history).register(
            request, of: wiring.people(of: history), plain: { Printable($0).description },
            progress: { step in
                if case .experimental(let kind) = step, let caveat = RegistrationWords.caveat(kind), !common.json {
                    progress.end()
                    try? wiring.say(caveat)
                } else {
                    progress.step(ProgressWords.line(step))
                }
            })
        progress.end()
        if common.json {
            try wiring.show(
                DevicesView(
                    [
                        .init(
                            pedometer: added, model: wiring.models.title(added.model),
                            caveat: wiring.models.caveat(added.model),
                            user: owner.name, syncs: [])
                    ],
                    now: wiring.now(), localTime: wiring.localTime))
        } else {
            try wiring.say(RegistrationWords.added(added, model: wiring.models.title(added.model), user: owner))
            try wiring.say(
                "Read its steps with: \(ShellCommand("istep sync").with(CommandOptions(common.values())).text())")
            if wiring.holdsTodayOnly(added) {
                try wiring.say(RegistrationWords.holdsTodayOnly)
            }
        }
    }
}
