/// Values ready to be shown: one result with two renderings, text for people and a document for programs.
///
/// A view reads no clock and no terminal: what it needs of them it is given.
public protocol View: Sendable {
    /// The JSON form: one object with a `version`.
    associatedtype Document: Codable & Sendable
    var document: Document { get }
    /// Lines without line ends, none wider than the style's width save those of a long path, without control characters but those of colour.
    func lines(_ style: TextStyle) -> [String]
}

extension View {
    /// The document as JSON: pretty, keys sorted, so that two runs compare line by line.
    ///
    /// Characters that would steer a terminal are escaped: a program reads the same string, a terminal only its escape.
    public func json() throws -> String { try JSONText.pretty(document) }
}

/// Writes null where there is no value: a key that is always there is easier on programs than one that comes and goes.
@propertyWrapper
public struct Nullable<Value: Codable & Sendable>: Codable, Sendable {
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}
