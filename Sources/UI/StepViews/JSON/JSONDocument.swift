#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Documents as JSON.
///
/// Characters that would control a terminal are escaped: a program reads the same string, a terminal only its escape.
enum JSONText {
    /// Over several lines, keys sorted, so that two runs compare line by line.
    static func pretty(_ document: some Encodable) throws -> String { try text(document, [.prettyPrinted]) }

    /// On one line, keys sorted: each document of a stream is one line.
    static func line(_ document: some Encodable) throws -> String { try text(document, []) }

    private static func text(_ document: some Encodable, _ layout: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = layout.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(document), as: UTF8.self).unicodeScalars.reduce(into: "") {
            text, scalar in
            if scalar != "\n", Printable.isHarmful(scalar) {
                text += escape(scalar)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// `\u202e`; two of them for a character beyond U+FFFF.
    static func escape(_ scalar: Unicode.Scalar) -> String {
        var text = ""
        for unit in UTF16.encode(scalar) ?? .init() {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return text
    }
}

/// `istep --version --json`.
public struct VersionDocument: Described {
    /// The version of the program, such as `0.1.0`.
    let release: String

    public init(release: String) { self.release = release }

    public static let keys: [JSONKey<VersionDocument>] = [
        .version, .init("release", .text, "The program's version, such as 0.1.0.") { $0.release },
    ]
}

/// The type of a JSON value in istep's output, declared beside the type that is written. The JSON Schema and the
/// reference for people are generated from it; the tests compare the output of every command with it.
public indirect enum JSONSchema: Sendable {
    case text
    case integer
    case number
    case boolean
    /// A date such as `2014-04-20`.
    case day
    /// Date and time in ISO 8601 with the offset from UTC, such as `2014-04-20T07:30:00+02:00`.
    case time
    /// One of these words.
    case choice([String])
    /// This number and no other.
    case constant(Int)
    case list(JSONSchema)
    /// An object whose keys are data: what each key is, and what stands there.
    case map(keys: String, JSONSchema)
    case object([Key])
    /// The value, or null.
    case nullable(JSONSchema)
    /// Another document of the reference, by its name.
    case document(String)

    public struct Key: Sendable {
        let name: String
        let schema: JSONSchema
        let description: String
        let isDeprecated: Bool

        init(_ name: String, _ schema: JSONSchema, _ description: String, isDeprecated: Bool = false) {
            self.name = name
            self.schema = schema
            self.description = description
            self.isDeprecated = isDeprecated
        }
    }

    static func choice<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> JSONSchema
    where Value.RawValue == String {
        .choice(type.allCases.map(\.rawValue))
    }

    /// The pattern of a day, as `day` describes it.
    static let dayPattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    /// The pattern of a time, as `time` describes it.
    static let timePattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})$"
}

// MARK: - As JSON Schema

extension JSONSchema: Encodable {
    /// As keywords of JSON Schema, draft 2020-12.
    ///
    /// All keys are always there. Others may be added in later versions of istep, so none is forbidden.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Word.self)
        switch self {
        case .text: try container.encode("string", forKey: "type")
        case .integer: try container.encode("integer", forKey: "type")
        case .number: try container.encode("number", forKey: "type")
        case .boolean: try container.encode("boolean", forKey: "type")
        case .day: try encode(pattern: Self.dayPattern, format: "date", in: &container)
        case .time: try encode(pattern: Self.timePattern, format: "date-time", in: &container)
        case .choice(let words): try container.encode(words, forKey: "enum")
        case .constant(let number): try container.encode(number, forKey: "const")
        case .list(let item):
            try container.encode("array", forKey: "type")
            try container.encode(item, forKey: "items")
        case .map(_, let value):
            try container.encode("object", forKey: "type")
            try container.encode(value, forKey: "additionalProperties")
        case .object(let keys):
            try container.encode("object", forKey: "type")
            try container.encode(keys.map(\.name), forKey: "required")
            var properties = container.nestedContainer(keyedBy: Word.self, forKey: "properties")
            for key in keys { try properties.encode(key, forKey: Word(key.name)) }
        case .nullable(let value): try container.encode([Alternative.value(value), .null], forKey: "anyOf")
        case .document(let name): try container.encode("#/$defs/\(name)", forKey: "$ref")
        }
    }

    private func encode(pattern: String, format: String, in container: inout KeyedEncodingContainer<Word>) throws {
        try container.encode("string", forKey: "type")
        try container.encode(format, forKey: "format")
        try container.encode(pattern, forKey: "pattern")
    }

    private enum Alternative: Encodable {
        case value(JSONSchema)
        case null

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .value(let schema): try schema.encode(to: encoder)
            case .null: try ["type": "null"].encode(to: encoder)
            }
        }
    }

    /// A key of JSON Schema or of a document.
    struct Word: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ word: String) { stringValue = word }
        init(stringLiteral word: String) { stringValue = word }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONSchema.Key: Encodable {
    public func encode(to encoder: any Encoder) throws {
        try schema.encode(to: encoder)
        var container = encoder.container(keyedBy: JSONSchema.Word.self)
        try container.encode(description, forKey: "description")
        if isDeprecated { try container.encode(true, forKey: "deprecated") }
    }
}
