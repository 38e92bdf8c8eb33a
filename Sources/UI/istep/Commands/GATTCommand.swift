import ArgumentParser
import Foundation
import StepDomain
import StepServices
import StepViews
import Support
import Synchronization

struct GATTCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "gatt",
        abstract: "Read and write GATT values of any Bluetooth LE device, to support a new pedometer.",
        discussion: """
            A value is addressed by the device's address (or the name of a registered pedometer) and the UUIDs of its service and \
            characteristic, of 4 digits or in full. \
            Formats of values: hex (such as '01 ff'), text, u8, u16le, u16be, u24le, u24be, u32le, u32be. \
            A numeric format needs a value of exactly its length (u16le: 2 bytes).

              istep gatt list C0:DE:00:00:00:01
              istep gatt read C0:DE:00:00:00:01 180f 2a19 --format u8
              istep gatt write C0:DE:00:00:00:01 fff0 fff1 '03 00'
              istep gatt notify C0:DE:00:00:00:01 fff0 fff2 --seconds 10
              istep gatt capture ring

            Writing can change a device or make it unusable. Write only what you know.
            """,
        subcommands: [List.self, Read.self, Write.self, Notify.self, Capture.self])
    static let documents = [
        JSONUse(.gatt, "list"), JSONUse(.value, "read", "write", "notify"), JSONUse(.capture, "capture"),
    ]
    static let adviceOptions = AdviceOptions.ofMachine
}

extension GATTCommand {
    private static let deviceHelp = ArgumentHelp(
        "The device's address, or the name of a registered pedometer.", valueName: "device")

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show services, characteristics, what they support, and their values.")

        @Argument(help: GATTCommand.deviceHelp, completion: CompletionNames.pedometers)
        var device: String

        @Flag(name: .customLong("no-values"), help: "Do not read values.")
        var hasNoValues = false

        @OptionGroup var common: CommonOptions
        @OptionGroup var bluetooth: BluetoothOptions

        func run() async throws {
            let wiring = try Wiring(common, bluetooth)
            let exploration = try await Exploration(of: device, wiring)
            let address = exploration.address
            let services = try await exploration.run("Connecting to") {
                try await $0.services(of: address, readsValues: !hasNoValues)
            }
            try wiring.show(GATTTableView(address: address, services: services))
        }
    }

    /// Which value of which device.
    struct Target: ParsableArguments {
        @Argument(help: GATTCommand.deviceHelp, completion: CompletionNames.pedometers)
        var device: String

        @Argument(help: ArgumentHelp("UUID of the service.", valueName: "service"))
        var service: ServiceArgument

        @Argument(help: ArgumentHelp("UUID of the characteristic.", valueName: "characteristic"))
        var characteristic: ServiceArgument

        var value: CharacteristicAddress {
            CharacteristicAddress(service: service.uuid, characteristic: characteristic.uuid)
        }
    }

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "read", abstract: "Read a value.")

        @OptionGroup var target: Target

        @Option(help: ArgumentHelp("How the value is shown.", valueName: "format"))
        var format = NotationArgument.hexadecimal

        @OptionGroup var common: CommonOptions
        @OptionGroup var bluetooth: BluetoothOptions

        func run() async throws {
            let wiring = try Wiring(common, bluetooth)
            let exploration = try await Exploration(of: target.device, wiring)
            let address = exploration.address
            let bytes = try await exploration.run("Reading from") {
                try await $0.read(target.value, of: address)
            }
            try wiring.show(format.view(of: bytes))
        }
    }

    struct Write: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "write", abstract: "Write a value.",
            discussion: "Writing can change a device or make it unusable. Write only what you know.")

        @OptionGroup var target: Target

        @Argument(help: ArgumentHelp("The value, in the notation of --format.", valueName: "value"))
        var value: String

        @Option(help: ArgumentHelp("How the value is written.", valueName: "format"))
        var format = NotationArgument.hexadecimal

        @Flag(name: .customLong("no-response"), help: "Do not request an acknowledgement.")
        var hasNoResponse = false

        @OptionGroup var common: CommonOptions
        @OptionGroup var bluetooth: BluetoothOptions

        func validate() throws {
            guard format.notation.bytes(of: value) != nil else {
                throw ValidationError(
                    "'\(value)' is not a value in the format \(format.name), of at most \(ValueNotation.longest) bytes."
                )
            }
        }

        func run() async throws {
            let wiring = try Wiring(common, bluetooth)
            let bytes = format.notation.bytes(of: value) ?? []
            let exploration = try await Exploration(of: target.device, wiring)
            let address = exploration.address
            try await exploration.run("Writing to") {
                try await $0.write(bytes, to: target.value, of: address, hasResponse: !hasNoResponse)
            }
            if common.json { return try wiring.show(GATTValueView(bytes, as: format.notation)) }
            try wiring.say("Wrote \(bytes.count) \(bytes.count == 1 ? "byte" : "bytes").")
        }
    }

    struct Notify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "notify", abstract: "Show the values that a device sends, one per line.",
            discussion: "It ends after --seconds or --count, or with Ctrl-C (exit code 130).")

        @OptionGroup var target: Target

        @Option(help: ArgumentHelp("How the values are shown.", valueName: "format"))
        var format = NotationArgument.hexadecimal

        @Option(help: ArgumentHelp("End after this time.", valueName: "seconds"), transform: ArgumentRules.number)
        var seconds: Double?

        @Option(help: ArgumentHelp("End after this many values.", valueName: "number"))
        var count: Int?

        @OptionGroup var common: CommonOptions
        @OptionGroup var bluetooth: BluetoothOptions

        func validate() throws {
            if let seconds, !(seconds > 0 && seconds <= 86_400) {
                throw ValidationError("--seconds must be more than 0 and at most 86400.")
            }
            if let count, count < 1 { throw ValidationError("--count must be 1 or more.") }
        }

        func run() async throws {
            let wiring = try Wiring(common, bluetooth)
            let left = Countdown(count)
            let exploration = try await Exploration(of: target.device, wiring)
            let address = exploration.address
            try await exploration.run("Connecting to") { [format, target, seconds] explorer in
                try await explorer.notifications(of: target.value, of: address, seconds: seconds) { bytes in
                    try wiring.show(format.view(of: bytes))
                    return left.continues() && !Output.hasLostReader
                }
            }
        }
    }
}

/// A device with an address or the name of a registered pedometer, and the Bluetooth to explore it with.
private struct Exploration {
    let address: String
    private let wiring: Wiring

    init(of device: String, _ wiring: Wiring) async throws {
        address = try await blocking {
            try PedometerSelection.address(of: device, Wiring.catalog) { try wiring.history(for: .reading) }
        }
        self.wiring = wiring
    }

    /// Runs `body` with a line of progress, which ends with the address.
    func run<R: Sendable>(_ words: String, _ body: (any GATTExplorer) async throws -> R) async throws -> R {
        let progress = wiring.progress()
        defer { progress.end() }
        progress.step("\(words) \(address)")
        return try await body(wiring.explorer())
    }
}

/// Counts values down; without a number it does not end.
private final class Countdown: Sendable {
    private let left: Mutex<Int?>

    init(_ count: Int?) { left = Mutex(count) }

    /// Whether another value is wanted after this one.
    func continues() -> Bool {
        left.withLock { left in
            left = left.map { $0 - 1 }
            return left != 0
        }
    }
}

/// The format of a value.
struct NotationArgument: ExpressibleByArgument {
    static let hexadecimal = NotationArgument(name: "hex", notation: .hexadecimal)

    let name: String
    let notation: ValueNotation

    private init(name: String, notation: ValueNotation) { (self.name, self.notation) = (name, notation) }

    init?(argument: String) {
        guard let notation = ValueNotation(argument) else { return nil }
        self.init(name: argument, notation: notation)
    }

    /// What a device sent, in this format.
    ///
    /// - Throws: `CommandFailure` if the value has not exactly the bytes of the number. Its first bytes alone would
    ///   give a wrong number.
    func view(of bytes: [UInt8]) throws -> GATTValueView {
        if case .number(let length, _) = notation, bytes.count != length {
            throw CommandFailure(
                .data,
                "The value has \(Self.words(bytes.count)), but the format \(name) needs \(Self.words(length)).",
                advice: "Show its bytes: --format hex")
        }
        return GATTValueView(bytes, as: notation)
    }

    private static func words(_ bytes: Int) -> String { bytes == 1 ? "1 byte" : "\(bytes) bytes" }

    var defaultValueDescription: String { name }
    static let allValueStrings = ["hex", "text", "u8", "u16le", "u16be", "u24le", "u24be", "u32le", "u32be"]
}
