/// A value that has a JSON form: one list of keys is both its schema and its encoder.
public protocol Described: Sendable {
    /// In the order of the reference.
    static var keys: [JSONKey<Self>] { get }
}

extension Described {
    var document: JSONRecord<Self> { JSONRecord(self) }

    /// As a document over several lines, keys sorted, so that two runs compare line by line.
    public func json() throws -> String { try JSONText.pretty(document) }
}

/// A key of a JSON object: its name, its type, what it means, and its value.
public struct JSONKey<Value>: Sendable {
    let schema: JSONSchema.Key
    fileprivate let encode: @Sendable (Value, inout KeyedEncodingContainer<JSONSchema.Word>) throws -> Void

    /// - Parameter value: of the type that `schema` declares; nil is written as null.
    init<T: Encodable & SendableMetatype>(_ schema: JSONSchema.Key, _ value: @escaping @Sendable (Value) -> T) {
        self.schema = schema
        encode = { try $1.encode(value($0), forKey: JSONSchema.Word(schema.name)) }
    }

    init<T: Encodable & SendableMetatype>(
        _ name: String, _ schema: JSONSchema, _ description: String, isDeprecated: Bool = false,
        _ value: @escaping @Sendable (Value) -> T
    ) {
        self.init(JSONSchema.Key(name, schema, description, isDeprecated: isDeprecated), value)
    }

    private init(
        _ schema: JSONSchema.Key,
        encode: @escaping @Sendable (Value, inout KeyedEncodingContainer<JSONSchema.Word>) throws -> Void
    ) {
        self.schema = schema
        self.encode = encode
    }

    /// The same key of another type, for a value that is written as one of this type.
    func of<Other>(_ value: @escaping @Sendable (Other) -> Value) -> JSONKey<Other> {
        JSONKey<Other>(schema, encode: { [encode] other, container in try encode(value(other), &container) })
    }

    /// What every document begins with.
    static var version: JSONKey { JSONKey(.version) { _ in 1 } }

    static func list<T: Described>(
        _ name: String, _ description: String, _ values: @escaping @Sendable (Value) -> [T]
    ) -> JSONKey {
        JSONKey(name, .list(JSONRecord<T>.schema), description) { values($0).map(JSONRecord.init) }
    }

    static func record<T: Described>(
        _ name: String, _ description: String, _ record: @escaping @Sendable (Value) -> T
    ) -> JSONKey {
        JSONKey(name, JSONRecord<T>.schema, description) { JSONRecord(record($0)) }
    }

    static func optional<T: Described>(
        _ name: String, _ description: String, _ record: @escaping @Sendable (Value) -> T?
    ) -> JSONKey {
        JSONKey(name, .nullable(JSONRecord<T>.schema), description) { record($0).map(JSONRecord.init) }
    }
}

/// A value in its JSON form.
struct JSONRecord<Value: Described>: Encodable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static var schema: JSONSchema { .object(Value.keys.map(\.schema)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONSchema.Word.self)
        for key in Value.keys { try key.encode(value, &container) }
    }
}
