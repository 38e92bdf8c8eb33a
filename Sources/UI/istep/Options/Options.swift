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

extension CommonOptions {
    func values(_ bluetooth: BluetoothOptions? = nil) -> GlobalOptions {
        GlobalOptions(
            configuration: config, database: db, user: user, adapter: bluetooth?.adapter, timeout: bluetooth?.timeout, isForPrograms: json,
            isQuiet: quiet)
    }
}

/// The values of the options that several commands have.
struct GlobalOptions: Sendable {
    var configuration: String?
    var database: String?
    var user: String?
    var adapter: String?
    /// Seconds to search.
    var timeout: Double?
    /// Whether the result is printed as JSON.
    var isForPrograms = false
    /// Whether only results and errors are printed.
    var isQuiet = false
}

extension Wiring {
    /// - Throws: `SettingsError`.
    init(_ common: CommonOptions, _ bluetooth: BluetoothOptions? = nil) throws { try self.init(common.values(bluetooth)) }
}

extension CommandOptions {
    init(_ options: GlobalOptions) {
        self.init(user: options.user, database: options.database, configuration: options.configuration)
    }

    /// The options in a command line, even if the parser does not understand the rest of it.
    init(_ arguments: [String]) {
        let words = arguments.prefix { $0 != "--" }
        func value(_ option: String) -> String? {
            for (word, next) in zip(words, words.dropFirst() + [""]).reversed() {
                if word == option { return next.isEmpty ? nil : next }
                if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            }
            return nil
        }
        self.init(user: value("--user"), database: value("--db"), configuration: value("--config"))
    }
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

/// A day as users write it: `2014-04-20`, `today`, `yesterday`, `-3`, `monday` (the last one, today not counted).
struct DayArgument: ExpressibleByArgument, Hashable {
    enum Named: Hashable {
        case date(Day)
        case daysAgo(Int)
        case last(Weekday)
    }

    let named: Named

    /// - Parameter text: in any case; weekdays in English, whole or the first three letters.
    init?(argument text: String) {
        let word = text.lowercased()
        if let day = Day(word) {
            named = .date(day)
        } else if word == "today" {
            named = .daysAgo(0)
        } else if word == "yesterday" {
            named = .daysAgo(1)
        } else if word.hasPrefix("-"), let days = Int(word.dropFirst()), (0...36_600).contains(days) {
            named = .daysAgo(days)
        } else if let weekday = Weekday(word: word) {
            named = .last(weekday)
        } else {
            return nil
        }
    }

    init(_ named: Named) { self.named = named }

    func day(today: Day) -> Day {
        switch named {
        case .date(let day): return day
        case .daysAgo(let days): return today.advanced(by: -days)
        case .last(let weekday):
            let back = (today.weekday.rawValue - weekday.rawValue + 7) % 7
            return today.advanced(by: back == 0 ? -7 : -back)
        }
    }

    var defaultValueDescription: String { "today" }

    /// The parser takes `-3` for an option. So that users need not write `-- -3` or `--from=-3`, such a word is joined to the option
    /// before it or moved behind a `--`, if the subcommand takes days.
    static func shielded(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, let options = dayOptions[command], !arguments.contains("--") else { return arguments }
        var rest: [String] = []
        var days: [String] = []
        for word in arguments {
            if !isDaysAgo(word) {
                rest.append(word)
            } else if let option = rest.last, options.contains(option) {
                rest[rest.count - 1] = "\(option)=\(word)"
            } else {
                days.append(word)
            }
        }
        if days.isEmpty { return rest }
        // If the subcommand takes no day as an argument, the parser must report the words as they were typed.
        return commandsOfDays.contains(command) ? rest + ["--"] + days : arguments
    }

    /// Subcommands with options that take days.
    private static let dayOptions: [String: Set<String>] = [
        "show": [], "correct": [], "outbox": [], "history": ["--on", "--from", "--to"], "plan": ["--from"], "profile": ["--from"],
        "share": ["--from", "--to-day"], "report": ["--from", "--to"],
    ]
    /// Subcommands that take a day as an argument.
    private static let commandsOfDays: Set = ["show", "correct", "share", "outbox"]

    private static func isDaysAgo(_ word: String) -> Bool { word.count > 1 && word.hasPrefix("-") && Int(word.dropFirst()) != nil }
}
