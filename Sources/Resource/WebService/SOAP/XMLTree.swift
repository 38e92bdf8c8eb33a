internal import CExpat
internal import Support

/// An element of a document that was read.
public struct XMLElement: Hashable, Sendable {
    public let name: XMLName
    public let attributes: [XMLName: String]
    /// The elements directly in it, in their order.
    public let children: [XMLElement]
    /// The character data directly in it, joined.
    public let text: String
    /// Prefixes and the namespaces that they stand for here; "" is the default namespace.
    let prefixes: [String: String]

    /// The first element directly in it of this name, whatever its namespace.
    ///
    /// In SOAP 1.1 the parts of a fault are in no namespace, but some services put them into one.
    func child(_ local: String) -> XMLElement? { children.first { $0.name.local == local } }

    /// Resolves a qualified name by the prefixes in scope here (Namespaces in XML 1.0, section 4). If the prefix is not
    /// declared, the name is in no namespace.
    func resolve(_ qualified: String) -> XMLName {
        let parts = qualified.trimmed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        return parts.count == 2
            ? XMLName(parts[1], in: prefixes[parts[0]]) : XMLName(parts.first ?? "", in: prefixes[""])
    }
}

extension String {
    /// The text without surrounding white space of XML (XML 1.0, section 2.3).
    var trimmed: String { String(unicodeScalars.trimming { " \t\r\n".unicodeScalars.contains($0) }) }
}

/// A name within a namespace (Namespaces in XML 1.0, section 2.1).
public struct XMLName: Hashable, Sendable {
    /// The namespace's URI; nil for names in none.
    public var namespace: String?
    /// The name without a prefix.
    public var local: String

    public init(_ local: String, in namespace: String? = nil) {
        self.namespace = namespace
        self.local = local
    }

    /// Whether a text can be the name of an element without a prefix: an NCName of ASCII (Namespaces in XML 1.0,
    /// section 3). XML has more letters, which the names of services' operations do not use.
    public static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 128, isLetter(first) else { return false }
        return text.utf8.allSatisfy { $0.isAlphanumeric || "_-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_")
    }
}

/// Reads XML with expat: namespaces, UTF-8, limits, and no document type declaration.
enum XMLReader {
    /// Separates namespace and name in the names that expat passes. A form feed, because no document can contain one,
    /// not even as a character reference (XML 1.0, section 2.2).
    static let separator: UInt8 = 0x0C

    /// - Returns: the root.
    static func read(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLProblem) -> XMLElement {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        // The encoding given to expat overrides the one that the document declares, but expat recognises UTF-16 anyway.
        guard !bytes.contains(0) else { throw .notUTF8 }
        guard let parser = XML_ParserCreateNS("UTF-8", XML_Char(separator)) else { throw .noMemory }
        defer { XML_ParserFree(parser) }
        let tree = XMLTree(parser, limits)
        tree.listen()
        // The callbacks use this object, but C holds no reference that keeps it alive.
        let status = withExtendedLifetime(tree) {
            bytes.withUnsafeBytes { XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count), 1) }
        }
        if let problem = tree.problem { throw problem }
        guard status == XML_STATUS_OK, let root = tree.root else { throw problem(of: parser) }
        return root
    }

    private static func problem(of parser: XML_Parser) -> XMLProblem {
        let code = XML_GetErrorCode(parser)
        if code == XML_ERROR_NO_MEMORY { return .noMemory }
        return .malformed(
            XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)",
            line: Int(XML_GetCurrentLineNumber(parser)), column: Int(XML_GetCurrentColumnNumber(parser)) + 1)
    }
}

/// Builds elements from the events of expat, within limits.
final class XMLTree {
    private(set) var root: XMLElement?
    private(set) var problem: XMLProblem?

    let parser: XML_Parser
    private let limits: XMLLimits
    private var open: [Frame] = []
    private var elements = 0
    private var prefixes: [String: String] = [:]
    /// The outer namespaces of prefixes that are declared again in an inner element.
    private var outer: [String: [String?]] = [:]

    /// An element whose end was not read yet.
    private struct Frame {
        var name: XMLName
        var attributes: [XMLName: String]
        var prefixes: [String: String]
        var children: [XMLElement] = []
        /// Bytes, not a string: it is not guaranteed that expat never splits a character.
        var text: [UInt8] = []
    }

    init(_ parser: XML_Parser, _ limits: XMLLimits) {
        self.parser = parser
        self.limits = limits
    }

    /// Stops reading. Further events that expat reports for the current piece are ignored.
    func refuse(_ problem: XMLProblem) {
        guard self.problem == nil else { return }
        self.problem = problem
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    func start(_ name: String, _ attributes: [(String, String)]) {
        guard problem == nil else { return }
        elements += 1
        guard open.count < limits.depth else { return refuse(.tooDeep(limit: limits.depth)) }
        guard elements <= limits.elements else { return refuse(.tooMany("elements", limit: limits.elements)) }
        guard attributes.count <= limits.attributes else {
            return refuse(.tooMany("attributes", limit: limits.attributes))
        }
        let named = attributes.map { (Self.name($0), $1) }
        // Expat refuses duplicates.
        open.append(Frame(name: Self.name(name), attributes: Dictionary(named) { $1 }, prefixes: prefixes))
    }

    func take(text: UnsafeBufferPointer<UInt8>) {
        guard problem == nil, !open.isEmpty else { return }
        open[open.count - 1].text += text
    }

    func end() {
        guard problem == nil, let frame = open.popLast() else { return }
        let element = XMLElement(
            name: frame.name, attributes: frame.attributes, children: frame.children,
            text: String(decoding: frame.text, as: UTF8.self), prefixes: frame.prefixes)
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    /// - Parameter namespace: nil if a declaration removes the default namespace.
    func startPrefix(_ prefix: String, _ namespace: String?) {
        guard problem == nil else { return }
        outer[prefix, default: []].append(prefixes[prefix])
        prefixes[prefix] = namespace
        if prefixes.count > limits.prefixes { refuse(.tooMany("prefixes", limit: limits.prefixes)) }
    }

    func endPrefix(_ prefix: String) {
        guard problem == nil, let before = outer[prefix]?.popLast() else { return }
        prefixes[prefix] = before
    }

    private static func name(_ text: String) -> XMLName {
        guard let cut = text.utf8.lastIndex(of: XMLReader.separator) else { return XMLName(text) }
        return XMLName(String(text[text.utf8.index(after: cut)...]), in: String(text[..<cut]))
    }
}

extension XMLTree {
    /// Registers this object's callbacks with expat. Expat does not keep the object alive.
    func listen() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { XMLTree.of($0)?.start(text($1), pairs($2)) },
            { user, _ in XMLTree.of(user)?.end() })
        XML_SetCharacterDataHandler(parser) { user, bytes, count in
            guard let bytes, count > 0 else { return }
            bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                XMLTree.of(user)?.take(text: UnsafeBufferPointer(start: $0, count: Int(count)))
            }
        }
        XML_SetNamespaceDeclHandler(
            parser,
            { XMLTree.of($0)?.startPrefix(text($1), $2.map { String(cString: $0) }) },
            { XMLTree.of($0)?.endPrefix(text($1)) })
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in XMLTree.of(user)?.refuse(.doctype) }
        XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
            guard let encoding else { return }
            let name = String(cString: encoding)
            // ASCII is UTF-8 too.
            if !["utf-8", "us-ascii"].contains(name.lowercased()) { XMLTree.of(user)?.refuse(.encoding(name)) }
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLTree? {
        user.map { Unmanaged<XMLTree>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func text(_ chars: UnsafePointer<XML_Char>?) -> String { chars.map { String(cString: $0) } ?? "" }

/// Names and values alternate; a null pointer ends them.
private func pairs(_ chars: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) -> [(String, String)] {
    guard let chars else { return [] }
    var result: [(String, String)] = []
    var index = 0
    while let name = chars[index], let value = chars[index + 1] {
        result.append((String(cString: name), String(cString: value)))
        index += 2
    }
    return result
}

/// Limits of a document: a server's answer to a request is small, and a larger document is not such an answer.
struct XMLLimits: Hashable, Sendable {
    var bytes = 1024 * 1024
    var depth = 64
    var elements = 20_000
    /// Attributes of one element.
    var attributes = 64
    /// Prefixes that are in scope at the same time.
    var prefixes = 64
}

/// Why bytes are not read as XML.
public enum XMLProblem: Error, Hashable, Sendable {
    /// expat's message and position: line and column, both from 1.
    case malformed(String, line: Int, column: Int)
    /// A document type declaration: SOAP has none, and entities that expand or read files need one.
    case doctype
    case encoding(String)
    /// A NUL byte: XML text never has one, and UTF-16 always does.
    case notUTF8
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    case tooMany(String, limit: Int)
    case noMemory
}

extension XMLProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let words, let line, let column): "not XML (\(words) in line \(line), column \(column))"
        case .doctype: "XML with a document type declaration, which is not read"
        case .encoding(let name): "XML in the encoding \(quoted(name)), where only UTF-8 is read"
        case .notUTF8: "not UTF-8, and so not read as XML"
        case .tooLarge(let limit): "XML of more than \(limit / 1024) KiB"
        case .tooDeep(let limit): "XML with elements nested more than \(limit) deep"
        case .tooMany(let what, let limit): "XML with more than \(limit) \(what)"
        case .noMemory: "XML for which there is not enough memory"
        }
    }
}
