public import ArgumentParser
public import StepDomain
import StepViews
import Support

// Command-line arguments that stand for values of other modules.

extension Sex: ExpressibleByArgument {}

extension Weekday {
    /// The English name in lower case, whole or its first three letters.
    init?(word: some StringProtocol) {
        guard let found = Weekday.allCases.first(where: { $0.name == word || $0.name.prefix(3) == word }) else {
            return nil
        }
        self = found
    }
}

/// Rules for arguments that more than one command takes.
enum ArgumentRules {
    /// A number in plain notation, `72` or `72.5`: no hexadecimal, no exponent, no infinity.
    static func number(_ text: String) throws -> Double {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e || $0 == 0x2d }),
            let number = Double(text)
        else { throw ValidationError("a number is written like 72 or 72.5") }
        return number
    }

    /// A length or a weight, with its unit or without.
    static func measure(_ text: String, _ quantity: Measure.Quantity) throws -> Measure {
        guard let measure = Measure(text, quantity) else {
            throw ValidationError(
                quantity == .weight
                    ? "a weight is written like 72, 72.5kg or 160lb" : "a length is written like 178, 1.78m or 5ft10in")
        }
        return measure
    }

    /// A number of steps.
    static func steps(_ text: some StringProtocol) throws -> Int {
        guard let number = WholeNumber.value(text) else {
            throw ValidationError("a number of steps is written like 8000")
        }
        return number
    }

    /// A time of a day, `10:30`, or `02:15+01:00` with its offset; `24:00` is the end of the day.
    static func blockTime(_ text: String) throws -> BlockTime {
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return BlockTime(try time(text)) }
        let offset = try time(String(text[text.index(after: sign)...]))
        guard offset <= StepSample.maximumUTCOffset else { throw ValidationError("an offset is at most 14:00") }
        return BlockTime(try time(String(text[..<sign])), utcOffset: text[sign] == "+" ? offset : -offset)
    }

    /// A time of a day, `10:30` or `3:30pm`, as seconds after midnight; `24:00` is the end of the day.
    static func time(_ text: String) throws -> Int {
        if let match = text.lowercased().wholeMatch(of: /([0-9]{1,2})(?::([0-9]{2}))? ?([ap])\.?m\.?/),
            let hour = Int(match.1), (1...12).contains(hour), let minute = Int(match.2 ?? "0"), minute < 60
        {
            return (hour % 12 + (match.3 == "p" ? 12 : 0)) * 3600 + minute * 60
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
            text.utf8.allSatisfy({ (0x30...0x3a).contains($0) }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            minute < 60, hour < 24 || hour == 24 && minute == 0
        else { throw ValidationError("a time is written like 10:30 or 3:30pm, or with its offset like 02:15+01:00") }
        return hour * 3600 + minute * 60
    }

    /// Checks the name that a user gets. A history may have names that are no longer given.
    static func checkNewUser(_ name: String) throws {
        try checkName(name, of: "the user")
        if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
            throw ValidationError("The name of the user is not valid: it begins or ends with a space.")
        }
    }

    /// Checks a name for a person or a pedometer. Bytes that are not UTF-8 were replaced by U+FFFD before.
    static func checkName(_ name: String, of option: String) throws {
        if let problem = NameRule.problem(of: name) {
            throw ValidationError("The name of \(option) is not valid: \(problem).")
        }
        if name.unicodeScalars.contains(where: { $0 == "\u{fffd}" }) {
            throw ValidationError("The name of \(option) is not valid: it contains bytes that are not UTF-8.")
        }
    }
}

/// A value that an option sets, or removes by the word `none`.
enum GivenValue<Value: Hashable & Sendable>: Hashable, Sendable {
    case set(Value)
    case removed

    /// - Throws: what `parse` throws.
    init(_ word: String, _ parse: (String) throws -> Value) throws {
        self = word.lowercased() == "none" ? .removed : .set(try parse(word))
    }

    var value: Value? { if case .set(let value) = self { value } else { nil } }
}

/// The UUID of a service, in any of its notations.
struct ServiceArgument: ExpressibleByArgument {
    /// The full form.
    let uuid: String

    init?(argument: String) {
        guard let uuid = Wiring.catalog.uuid(argument) else { return nil }
        self.uuid = uuid
    }
}
