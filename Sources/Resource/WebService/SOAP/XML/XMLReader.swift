internal import CExpat

/// Reads XML by expat: namespaces, UTF-8, limits, and no document type declaration.
enum XMLReader {
    /// Between namespace and name in what expat hands over. A form feed, as no document can have one, not even as a character reference
    /// (XML 1.0, section 2.2).
    static let separator: UInt8 = 0x0C

    /// - Returns: the root.
    static func read(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLProblem) -> XMLElement {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        // Told by name, the encoding is not what the document says of itself; but UTF-16 expat recognises all the same.
        guard !bytes.contains(0) else { throw .notUTF8 }
        guard let parser = XML_ParserCreateNS("UTF-8", XML_Char(separator)) else { throw .noMemory }
        defer { XML_ParserFree(parser) }
        let tree = XMLTree(parser, limits)
        tree.listen()
        // An object of its own for the callbacks, which is only borrowed to C.
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
