internal import Quoting

/// Why bytes are not read as XML.
public enum XMLProblem: Error, Hashable, Sendable {
    /// expat's words, and where: line and column, both from 1.
    case malformed(String, line: Int, column: Int)
    /// A document type declaration: SOAP has none, and entities that swell or fetch files need one.
    case doctype
    case encoding(String)
    /// A NUL byte, which text of XML never has, and UTF-16 always.
    case notUTF8
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    case tooMany(String, limit: Int)
    case noMemory
}

extension XMLProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let words, let line, let column): "no XML (\(words) in line \(line), column \(column))"
        case .doctype: "XML with a document type declaration, which is not read"
        case .encoding(let name): "XML in the encoding \(quoted(String(name.prefix(40)))), where only UTF-8 is read"
        case .notUTF8: "no text in UTF-8, and so not read as XML"
        case .tooLarge(let limit): "XML of more than \(limit / 1024) KiB"
        case .tooDeep(let limit): "XML with elements nested more than \(limit) deep"
        case .tooMany(let what, let limit): "XML with more than \(limit) \(what)"
        case .noMemory: "XML for which there was no memory"
        }
    }
}
