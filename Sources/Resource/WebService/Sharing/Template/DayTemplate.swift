internal import StepDomain

/// A text of the user's that a day fills: `{steps} steps[ · {distance} km]`.
///
/// `{name}` stands for a figure of the day. What is in brackets is left out where one of its figures is not known. A brace or bracket
/// that is meant as such is written twice.
struct DayTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case literal(String)
        case field(Field)
        case optional([Piece])
    }

    /// The figures that a template can name.
    enum Field: String, CaseIterable, Sendable {
        case user, date, weekday, steps, distance, calories, percentage, goal, bars
    }

    let pieces: [Piece]

    /// Whether what is made of it tells the day, so that a text can be recognised as of one day and no other.
    var namesDay: Bool { pieces.contains(.field(.date)) }

    /// Whether it tells whose day it is.
    var namesUser: Bool { pieces.contains(.field(.user)) }

    func text(for day: SharedDay) -> String { Self.text(pieces, day) ?? "" }

    /// Nil where a figure is not known; at the top level such a figure is a dash.
    private static func text(_ pieces: [Piece], _ day: SharedDay, isOptional: Bool = false) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let words): text += words
            case .field(let field):
                guard let value = field.value(of: day) else {
                    if isOptional { return nil }
                    text += "–"
                    continue
                }
                text += value
            case .optional(let inner): text += Self.text(inner, day, isOptional: true) ?? ""
            }
        }
        return text
    }
}

extension DayTemplate.Field {
    /// In words for people; nil where it is not known.
    func value(of day: SharedDay) -> String? {
        switch self {
        case .user: day.user.name
        case .date: "\(day.day)"
        case .weekday: day.day.weekday.name.prefix(1).uppercased() + day.day.weekday.name.dropFirst()
        case .steps: grouped(day.steps)
        case .distance: day.metres.map { "\(($0 + 50) / 1000).\(($0 + 50) % 1000 / 100)" }
        case .calories: day.kilocalories.map(grouped)
        // Rounded down: 99.9 % of a goal is not all of it.
        case .percentage: day.percentage.map { "\(Int($0.rounded(.down)))" }
        case .goal: day.summary.goal.map(grouped)
        case .bars: day.summary.hours.isEmpty ? nil : Bars.of(day.summary.hours.map(\.steps))
        }
    }

    private func grouped(_ number: Int) -> String {
        let digits = String(number)
        return digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
        }.joined()
    }
}

/// The hours of a day as a line of blocks.
enum Bars {
    static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// One block an hour; the lowest is for hours without a step, and for no other.
    static func of(_ hours: [Int]) -> String {
        let most = max(hours.max() ?? 0, 1)
        return String(hours.map { $0 <= 0 ? blocks[0] : blocks[1 + ($0 * 6 + most / 2) / most] })
    }
}
