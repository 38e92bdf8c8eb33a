public import ArgumentParser
public import StepDomain
import StepViews

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Also read this configuration file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Use this history instead of the default one.", valueName: "file"))
    var db: String?

    @Option(
        help: ArgumentHelp(
            """
            The user (default: the only user of the history, otherwise your login name; 'sync', 'watch', 'devices', 'status' and 'outbox': \
            all users).
            """, valueName: "name"))
    var user: String?

    @Flag(help: "Print JSON for programs instead of text for people.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    func validate() throws {
        if let user { try ArgumentRules.checkName(user, of: "--user") }
    }
}

/// The options of the commands that use Bluetooth.
struct BluetoothOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use this adapter, such as hci1; by default the first that is on.", valueName: "name"))
    var adapter: String?

    @Option(
        help: ArgumentHelp(
            "Search for at most this many seconds (default: 20; scan and doctor: 10; add: 15 for one device, 6 for any pedometer).",
            valueName: "seconds"),
        transform: ArgumentRules.number)
    var timeout: Double?
}

// Command-line arguments that stand for values of other modules.

extension Day: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Sex: ExpressibleByArgument {}

/// Rules for arguments that more than one command takes.
enum ArgumentRules {
    /// A number in plain notation, `72` or `72.5`: no hexadecimal, no exponent, no infinity.
    static func number(_ text: String) throws -> Double {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e || $0 == 0x2d }),
            let number = Double(text)
        else { throw ValidationError("a number is written like 72 or 72.5") }
        return number
    }

    /// Checks a name for a person or a pedometer. Bytes that are not UTF-8 were replaced by U+FFFD before.
    static func checkName(_ name: String, of option: String) throws {
        if let problem = Printable.problem(ofName: name) { throw ValidationError("The name of \(option) is not valid: \(problem).") }
        if name.unicodeScalars.contains(where: { $0 == "\u{fffd}" }) {
            throw ValidationError("The name of \(option) is not valid: it contains bytes that are not UTF-8.")
        }
    }
}
