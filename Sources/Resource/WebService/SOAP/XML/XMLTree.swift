internal import CExpat

/// Puts elements together from what expat tells, within limits.
final class XMLTree {
    private(set) var root: XMLElement?
    private(set) var problem: XMLProblem?

    let parser: XML_Parser
    private let limits: XMLLimits
    private var open: [Frame] = []
    private var elements = 0
    private var prefixes: [String: String] = [:]
    /// What prefixes stood for outside of where they are declared anew.
    private var outer: [String: [String?]] = [:]

    /// An element whose end has not come.
    private struct Frame {
        var name: XMLName
        var attributes: [XMLName: String]
        var prefixes: [String: String]
        var children: [XMLElement] = []
        /// Not a string yet: nothing says that expat never cuts a character.
        var text: [UInt8] = []
    }

    init(_ parser: XML_Parser, _ limits: XMLLimits) {
        self.parser = parser
        self.limits = limits
    }

    /// Ends the reading. What expat still tells of the piece at hand is not listened to.
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
        guard attributes.count <= limits.attributes else { return refuse(.tooMany("attributes", limit: limits.attributes)) }
        let named = attributes.map { (Self.name($0), $1) }
        // Expat refuses doublets.
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

    /// - Parameter namespace: nil where a declaration takes the default namespace back.
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
