internal import StepDomain

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
        return String(decoding: try encoder.encode(document), as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
            if scalar != "\n", Printable.isHarmful(scalar) {
                for unit in UTF16.encode(scalar) ?? .init() { text += escape(unit) }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// `istep --version --json`.
public struct VersionDocument: JSONDocument {
    public var version = 1
    /// Of the program, such as `0.1.0`.
    public var release: String

    public init(release: String) { self.release = release }

    public static let schema = JSONSchema.object([.version, .init("release", .text, "The program's version, such as 0.1.0.")])

    public func json() throws -> String { try JSONText.pretty(self) }
}
