/// A document that commands print with `--json`.
public struct JSONDocument: Sendable {
    /// The name of the document, such as `show`.
    public let name: String
    let summary: String
    let schema: JSONSchema

    init<Value: Described>(_ name: String, _ summary: String, _ value: Value.Type) {
        (self.name, self.summary, schema) = (name, summary, JSONRecord<Value>.schema)
    }

    static let version = JSONDocument("version", "The program's version.", VersionDocument.self)
    static let error = JSONDocument(
        "error", "What failed. Printed in place of the usual document; standard error has the same text.",
        ErrorDocument.self)
}

/// That a subcommand prints a document.
public struct JSONUse: Sendable {
    public let document: JSONDocument
    /// The words after the subcommand with which it does; empty for none.
    public let words: [String]

    /// - Parameter words: none if it does so without further words.
    public init(_ document: JSONDocument, _ words: String...) {
        self.document = document
        self.words = words.isEmpty ? [""] : words
    }
}

/// What the commands print with `--json`, one document each: the reference for people, and as JSON Schema.
public struct JSONReference: Sendable {
    public struct Entry: Sendable {
        public let document: JSONDocument
        /// The command lines that print it, without `istep` and `--json`.
        public fileprivate(set) var commands: [String]
        public var name: String { document.name }
    }

    public private(set) var entries: [Entry] = []

    /// - Parameter subcommands: in the order of the help, with the documents that they print.
    public init(_ subcommands: [(name: String, documents: [JSONUse])]) {
        for (name, documents) in subcommands {
            for use in documents {
                add(use.document, use.words.map { $0.isEmpty ? name : "\(name) \($0)" })
            }
        }
        add(.version, ["--version"])
        add(.error, ["any command that fails"])
    }

    private mutating func add(_ document: JSONDocument, _ commands: [String]) {
        if let known = entries.firstIndex(where: { $0.name == document.name }) {
            entries[known].commands += commands
        } else {
            entries.append(Entry(document: document, commands: commands))
        }
    }

    /// The documents of a command, or the one of a name; all if there are no words.
    ///
    /// - Parameter words: the beginning of a command line without `istep`, such as `gatt list`.
    public func entries(of words: [String]) -> [Entry] {
        entries.filter { entry in
            words == [entry.name]
                || entry.commands.contains { $0.split(separator: " ").map(String.init).starts(with: words) }
        }
    }

    /// The subcommands that print documents, in the order of the reference.
    public var subcommands: [String] {
        entries.filter { $0.name != "error" && $0.name != "version" }.flatMap(\.commands).reduce(into: []) {
            known, command in
            let word = String(command.prefix { $0 != " " })
            if !known.contains(word) { known.append(word) }
        }
    }

    // MARK: As JSON Schema

    /// Documents as one JSON Schema (draft 2020-12), each under `$defs` by its name, with those that they refer to.
    public func schema(of chosen: [Entry]? = nil) throws -> String {
        try JSONText.pretty(Whole(entries: chosen ?? entries, all: entries))
    }

    private struct Whole: Encodable {
        let entries: [Entry], all: [Entry]

        func encode(to encoder: any Encoder) throws {
            let defined = Set(entries.map(\.name) + entries.flatMap(\.document.schema.references))
            var container = encoder.container(keyedBy: JSONSchema.Word.self)
            try container.encode("https://json-schema.org/draft/2020-12/schema", forKey: "$schema")
            try container.encode("Output of istep with --json", forKey: "title")
            try container.encode(entries.map { JSONSchema.document($0.name) }, forKey: "anyOf")
            var definitions = container.nestedContainer(keyedBy: JSONSchema.Word.self, forKey: "$defs")
            for entry in all where defined.contains(entry.name) {
                try definitions.encode(Definition(entry: entry), forKey: .init(entry.name))
            }
        }
    }

    private struct Definition: Encodable {
        let entry: Entry

        func encode(to encoder: any Encoder) throws {
            try entry.document.schema.encode(to: encoder)
            var container = encoder.container(keyedBy: JSONSchema.Word.self)
            try container.encode(entry.title, forKey: "title")
            try container.encode(entry.document.summary, forKey: "description")
        }
    }

    // MARK: For people

    /// The reference as text.
    public func lines(_ style: TextStyle, of chosen: [Entry]? = nil) -> [String] {
        var page = TextPage(style)
        if chosen == nil {
            page.paragraph(
                """
                With --json a command prints one JSON document on standard output, even if it fails. Each has the key version: 1. This \
                number changes when a key is renamed or removed or its meaning changes. All keys are always present; an unknown value \
                is null. Later versions of istep may add keys: ignore keys that you do not know.
                """)
        }
        for entry in chosen ?? entries {
            if !page.lines.isEmpty { page.blank() }
            page.wrap(StyledText(entry.title, .strong), hanging: 2)
            page.paragraph(entry.document.summary, indent: 2)
            if case .object(let keys) = entry.document.schema { show(keys, 2, on: &page) }
        }
        return page.lines
    }

    private func show(_ keys: [JSONSchema.Key], _ indent: Int, on page: inout TextPage) {
        for key in keys where key.name != "version" {
            let note = (key.isDeprecated ? "Deprecated. " : "") + key.description
            page.wrap(
                StyledText(String(repeating: " ", count: indent)) + StyledText(key.name, .strong)
                    + StyledText(": \(key.schema.words). \(note)"),
                hanging: indent + 4)
            if let inner = key.schema.innerKeys { show(inner, indent + 2, on: &page) }
        }
    }
}

extension JSONReference.Entry {
    fileprivate var title: String {
        name == "error" ? commands[0] : commands.map { "istep \($0)" }.joined(separator: ", ")
    }
}

extension JSONSchema {
    /// The kind of value, for people.
    fileprivate var words: String {
        switch self {
        case .text: "text"
        case .integer: "whole number"
        case .number: "number"
        case .boolean: "true or false"
        case .day: "date"
        case .time: "time with offset"
        case .choice(let words):
            words.count == 1 ? words[0] : words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
        case .constant(let number): "\(number)"
        case .list(let item): "list of \(item.innerKeys == nil ? item.words : "objects")"
        case .map(let keys, let value): "object by \(keys): \(value.words)"
        case .object: "object"
        case .nullable(let value): "\(value.words); or null"
        case .document(let name): "object as of \(name)"
        }
    }

    /// Names of the documents in this value.
    fileprivate var references: [String] {
        switch self {
        case .document(let name): [name]
        case .object(let keys): keys.flatMap(\.schema.references)
        case .list(let item), .nullable(let item), .map(_, let item): item.references
        default: []
        }
    }

    /// The keys of the objects in this value, directly or in a list.
    fileprivate var innerKeys: [Key]? {
        switch self {
        case .object(let keys): keys
        case .list(let item), .nullable(let item): item.innerKeys
        default: nil
        }
    }
}
