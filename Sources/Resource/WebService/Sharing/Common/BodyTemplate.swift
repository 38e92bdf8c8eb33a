internal import Foundation
internal import Settings
internal import StepDomain
internal import Support

/// The body of a request in the user's words, with names in braces in place of figures:
/// `{"content": "{text}", "steps": {steps}}`.
///
/// A brace that is not followed by a name of lower-case letters and another brace is a brace: JSON is full of them.
struct BodyTemplate: Hashable, Sendable {
    /// The syntax that a value is written in. It decides which characters are escaped.
    enum Syntax: Hashable, Sendable {
        /// A text is written as in a string, without the quotes; what is not known is null.
        case json
        /// As in `name=value&name=value`; what is not known is empty.
        case form
        case markup
        /// As it is. A line with a figure that is not known is left out.
        case plain

        /// - Parameter type: a media type, such as `application/json; charset=utf-8`.
        init(_ type: String) {
            let name = type.prefix { $0 != ";" }.lowercased().trimmingCharacters(in: .whitespaces)
            self =
                if name == "application/json" || name.hasSuffix("+json") {
                    .json
                } else if name == "application/x-www-form-urlencoded" {
                    .form
                } else if ["text/html", "text/xml", "application/xml"].contains(name) || name.hasSuffix("+xml") {
                    .markup
                } else { .plain }
        }
    }

    enum Name: String, CaseIterable, Sendable {
        case user, destination, date, year, month, day, weekday
        /// The text of a post.
        case text
        // Numbers, by the names that databases get.
        case steps
        case distance = "distance_m"
        case energy = "energy_kcal"
        case goal, percentage
        // True or false.
        case complete, corrected
        case inProgress = "in_progress"
    }

    enum Piece: Hashable, Sendable {
        case text(String)
        case name(Name)
    }

    enum Value {
        case text(String)
        /// A number, or true or false; nil if it is not known.
        case figure(String?)
    }

    let contentType: String
    private let lines: [[Piece]]
    /// What `{text}` stands for.
    let post: PostTemplate
    let units: UnitSystem

    var syntax: Syntax { Syntax(contentType) }

    /// A name in braces that is not known.
    struct UnknownName: Error, Hashable { let name: String }

    init(
        _ text: String, contentType: String, post: PostTemplate, units: UnitSystem = .metric
    ) throws(UnknownName) {
        self.contentType = contentType
        self.post = post
        self.units = units
        var lines: [[Piece]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(try Self.pieces(line))
        }
        self.lines = lines
    }

    private static func pieces(_ line: Substring) throws(UnknownName) -> [Piece] {
        // Written in another way, a name would be sent as it stands.
        for match in line.matches(of: /\{ *([A-Za-z_]+) *\}/) {
            let name = String(match.1).lowercased()
            if "\(match.0)" != "{\(name)}", Name(rawValue: name) != nil {
                throw UnknownName(name: String(match.0.dropFirst().dropLast()))
            }
        }
        var pieces: [Piece] = []
        var start = line.startIndex
        for match in line.matches(of: /\{([a-z_]+)\}/) {
            guard let name = Name(rawValue: String(match.1)) else { throw UnknownName(name: String(match.1)) }
            if start < match.range.lowerBound { pieces.append(.text(String(line[start..<match.range.lowerBound]))) }
            pieces.append(.name(name))
            start = match.range.upperBound
        }
        if start < line.endIndex { pieces.append(.text(String(line[start...]))) }
        return pieces
    }

    func names(_ name: Name) -> Bool { lines.joined().contains(.name(name)) }

    /// The body for a day that is to be sent.
    func content(_ day: SharedDay, destination: String) throws(ShareFailure) -> String {
        let text = body(day, destination: destination)
        guard !text.allSatisfy(\.isWhitespace) else {
            throw ShareFailure(
                .rejected, "`body` is empty for this day, which has none of its figures: a rest day has no percentage")
        }
        return text
    }

    /// The body for a day.
    func body(_ day: SharedDay, destination: String) -> String { body { value($0, day, destination) } }

    func body(_ value: (Name) -> Value) -> String {
        lines.compactMap { line -> String? in
            var text = ""
            for piece in line {
                switch piece {
                case .text(let own): text += own
                case .name(let name):
                    guard let value = written(value(name)) else { return nil }
                    text += value
                }
            }
            return text
        }.joined(separator: "\n")
    }

    /// Nil if it is not known, and the syntax has no word for that.
    private func written(_ value: Value) -> String? {
        switch (value, syntax) {
        case (.text(let text), .json): String(json(text).dropFirst().dropLast())
        case (.text(let text), .form): percentEncodedComponent(text)
        case (.text(let text), .markup): xmlEscaped(text, in: .html)
        case (.text(let text), .plain): text
        case (.figure(let figure), .json): figure ?? "null"
        case (.figure(let figure), .plain): figure
        case (.figure(let figure), _): figure ?? ""
        }
    }

    private func value(_ name: Name, _ day: SharedDay, _ destination: String) -> Value {
        let inAddress = AddressTemplate.values(day, destination: destination)
        return switch name {
        case .user, .destination, .date, .year, .month, .day: .text(inAddress[name.rawValue] ?? "")
        case .weekday: .text(PostFigure.weekday.value(day, units) ?? "")
        case .text: .text(post.text { $0.value(day, units) })
        case .steps: .figure(json(day.steps))
        case .distance: .figure(day.metres.map { json($0) })
        case .energy: .figure(day.kilocalories.map { json($0) })
        case .goal: .figure(day.summary.goal.map { json($0) })
        case .percentage: .figure(day.percentage.map { json($0) })
        case .complete: .figure(json(day.summary.completeness == .complete))
        case .corrected: .figure(json(day.summary.isCorrected))
        case .inProgress: .figure(json(day.summary.isInProgress))
        }
    }

    /// Whether the body is JSON, whichever figures are known.
    fileprivate var isJSON: Bool {
        [nil, "1"].allSatisfy { figure in
            let text = body { name in
                switch name {
                case .user, .destination, .date, .year, .month, .day, .weekday, .text: .text("\"\n")
                default: .figure(figure)
                }
            }
            return (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
        }
    }
}

extension TableReader {
    /// The keys `body`, `content_type`, `text` and `units`; nil without `body`.
    mutating func bodyTemplate() -> BodyTemplate? {
        let names = BodyTemplate.Name.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        let expected = "what is sent, with names in braces in place of figures: \(names)"
        guard let text = text("body", expected, mayHaveLines: true) else {
            for key in ["content_type", "text", "units"] where table.keys.contains(key) {
                refuse(key, expected: "left out without `body`")
            }
            return nil
        }
        let type =
            value("content_type", "a media type, such as application/json or text/plain") { text in
                text.wholeMatch(of: /[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w-]+=("[^"\\]*"|[\w.-]+))*/) == nil
                    ? nil : text
            } ?? "application/json"
        guard let post = template(standard: PostTemplate.standard) else { return nil }
        let units = choice("units", of: UnitSystem.self) ?? .metric
        do {
            let template = try BodyTemplate(text, contentType: type, post: post, units: units)
            for key in ["text", "units"] where table.keys.contains(key) && !template.names(.text) {
                refuse(key, expected: "left out where `body` does not contain {text}")
            }
            if template.syntax == .json, !template.isJSON {
                refuse(
                    "body",
                    expected: "JSON once the names in braces are replaced: {text} and other words stand in quotes, "
                        + "{steps} and other figures do not have to. Another form needs `content_type`")
            }
            return template
        } catch {
            refuse("body", expected: "\(expected). {\(error.name)} is not one of them", isPrivate: true)
            return nil
        }
    }
}
