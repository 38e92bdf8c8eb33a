internal import StepViews
internal import Support

/// HTML or SVG. A value can only be made by elements, attributes and text of this module, so that everything in it is
/// escaped.
package struct Markup: Hashable, Sendable {
    /// The source text, in UTF-8 once it is written.
    package private(set) var source: String

    fileprivate init(source: String) { self.source = source }

    static let nothing = Markup(source: "")

    /// Text: a name, a number, what a server said. Characters that would control a terminal or reverse the reading
    /// direction are replaced.
    package static func text(_ text: String) -> Markup { Markup(source: escaped(text)) }

    static func + (a: Markup, b: Markup) -> Markup { Markup(source: a.source + b.source) }

    fileprivate mutating func append(_ other: Markup) { source += other.source }

    static func + (a: String, b: Markup) -> Markup { .text(a) + b }
    static func + (a: Markup, b: String) -> Markup { a + .text(b) }

    static func joined(_ parts: [Markup]) -> Markup {
        var whole = Markup.nothing
        for part in parts { whole.append(part) }
        return whole
    }

    /// The same in text and in a value in double quotes. Characters that would control a terminal are replaced, except
    /// line feeds and tabs.
    fileprivate static func escaped(_ text: String) -> String {
        xmlEscaped(text, in: .html) { $0 != "\n" && $0 != "\t" && Printable.isHarmful($0) }
    }
}

/// An attribute of an element. Addresses are a `Link`, and there is no attribute for scripts or styles.
struct Attribute: Hashable, Sendable {
    /// The attributes that take text.
    enum Name: String {
        case accesskey, autocomplete, autofocus, charset, `class`, content, `for`, height, id
        case inputmode, lang, max, method, name, open, rel, required, role, scope
        case selected, tabindex, title, type, value, width
        case ariaCurrent = "aria-current"
        case ariaDescribedby = "aria-describedby"
        case ariaDisabled = "aria-disabled"
        case ariaHidden = "aria-hidden"
        case ariaInvalid = "aria-invalid"
        case ariaLabel = "aria-label"
        case ariaLive = "aria-live"
        case dataLabel = "data-label"
        case httpEquiv = "http-equiv"
        // SVG
        case cx, cy, d, fill, opacity, overflow, r, rx, stroke, transform, viewBox, x, x1, x2, xmlns, y, y1, y2
        case fontFamily = "font-family"
        case fontSize = "font-size"
        case fontWeight = "font-weight"
        case pointerEvents = "pointer-events"
        case preserveAspectRatio
        case strokeDasharray = "stroke-dasharray"
        case strokeLinecap = "stroke-linecap"
        case strokeWidth = "stroke-width"
        case textAnchor = "text-anchor"
        case vectorEffect = "vector-effect"
    }

    fileprivate let source: String

    init(_ name: Name, _ value: String) { source = " \(name.rawValue)=\"\(Markup.escaped(value))\"" }
    init(_ name: Name, _ value: Int) { source = " \(name.rawValue)=\"\(value)\"" }
    /// Coordinates, to a tenth of a unit.
    init(_ name: Name, _ value: Double) { source = " \(name.rawValue)=\"\(Geometry.tenths(value))\"" }
    /// A part of the width of the drawing, to a thousandth of a per cent.
    init(_ name: Name, percent: Double) {
        let value = percent.isFinite ? (min(max(percent, -1000), 1000) * 1000).rounded() / 1000 : 0
        source = " \(name.rawValue)=\"\(brief(value))%\""
    }
    /// Without a value: present, or not.
    init(_ name: Name, _ isPresent: Bool) { source = isPresent ? " \(name.rawValue)=\"\(name.rawValue)\"" : "" }

    private init(source: String) { self.source = source }

    static func href(_ link: Link) -> Attribute { Attribute(source: " href=\"\(Markup.escaped(link.text))\"") }
    static func action(_ link: Link) -> Attribute { Attribute(source: " action=\"\(Markup.escaped(link.text))\"") }
    static func css(_ name: String) -> Attribute { Attribute(.class, name) }

    /// A colour that does not need the style sheet: the light one as an attribute, and the class by which the style
    /// sheet replaces it.
    static func fill(_ tone: Tone, _ classes: String = "") -> Attribute { paint("fill", "f", tone, classes) }
    static func stroke(_ tone: Tone, _ classes: String = "") -> Attribute { paint("stroke", "s", tone, classes) }

    private static func paint(_ property: String, _ prefix: String, _ tone: Tone, _ classes: String) -> Attribute {
        let more = classes.isEmpty ? "" : " " + classes
        return Attribute(source: " class=\"\(prefix)-\(tone.rawValue)\(more)\" \(property)=\"\(tone.light)\"")
    }
}

/// The elements that pages consist of.
enum Element: String {
    case html, head, title, meta, link, body, header, main, footer, nav, section, h1, h2, p, div, span, strong, small,
        code, pre, a
    case ul, ol, li, dl, dt, dd, table, caption, thead, tbody, tr, th, td, figure, figcaption, details, summary, bdi,
        progress
    case form, label, input, select, option, button, noscript
    // SVG
    case svg, g, rect, line, circle, path, use, text, tspan, desc, defs, symbol

    /// Elements that have neither content nor an end tag (HTML, 13.1.2).
    fileprivate var isVoid: Bool {
        switch self {
        case .meta, .link, .input: true
        default: false
        }
    }

    fileprivate var isShape: Bool {
        switch self {
        case .rect, .line, .circle, .path, .use: true
        default: false
        }
    }

    func callAsFunction(_ attributes: Attribute?..., @MarkupBuilder content: () -> Markup = { .nothing }) -> Markup {
        self.callAsFunction(attributes, content: content)
    }

    func callAsFunction(_ attributes: [Attribute?], @MarkupBuilder content: () -> Markup = { .nothing }) -> Markup {
        var source = "<\(rawValue)"
        for case let attribute? in attributes { source += attribute.source }
        if isVoid { return Markup(source: source + ">") }
        let inner = content().source
        // A shape of SVG without a title.
        if isShape, inner.isEmpty { return Markup(source: source + "/>") }
        source += ">"
        source += inner
        source += "</\(rawValue)>"
        return Markup(source: source)
    }
}

/// Lists the parts of an element: markup, and text, which is escaped.
@resultBuilder enum MarkupBuilder {
    static func buildExpression(_ text: String) -> Markup { .text(text) }
    static func buildExpression(_ markup: Markup) -> Markup { markup }
    static func buildExpression(_ markup: [Markup]) -> Markup { .joined(markup) }
    static func buildBlock(_ parts: Markup...) -> Markup { .joined(parts) }
    static func buildOptional(_ part: Markup?) -> Markup { part ?? .nothing }
    static func buildEither(first part: Markup) -> Markup { part }
    static func buildEither(second part: Markup) -> Markup { part }
    static func buildArray(_ parts: [Markup]) -> Markup { .joined(parts) }
}

/// Constant source text of this module: the style sheet of a report, and the beginning of a document.
extension Markup {
    static let doctype = Markup(source: "<!DOCTYPE html>\n")
    static let xml = Markup(source: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")

    /// The same without a line feed, which its hash does not have.
    static let refusalStyle = Markup(source: "<style>\(StyleSheet.refusal.source)</style>")

    /// The style sheet within a document.
    static func style(_ sheet: StyleSheet) -> Markup { Markup(source: "<style>\n\(sheet.source)</style>") }
}

extension Markup {
    /// The one script of the local page.
    static let script = Markup(source: "<script src=\"/istep.js\" defer></script>")
}

/// An address within the page that is shown: a path on the same server, or a place in the same document. There is no
/// way to write one that leads elsewhere.
package struct Link: Hashable, Sendable {
    package let text: String

    /// A path of the local page with its query.
    ///
    /// - Parameters:
    ///   - parts: between the slashes, of any characters.
    ///   - query: empty values are left out.
    package init(_ parts: [String], query: [(String, String)] = []) {
        var text = parts.map { "/" + percentEncodedComponent($0) }.joined()
        if text.isEmpty { text = "/" }
        let pairs = query.filter { !$0.1.isEmpty }.map {
            percentEncodedComponent($0.0) + "=" + percentEncodedComponent($0.1)
        }
        if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
        self.text = text
    }

    /// A place in the same document, by the `id` of its element.
    package init(fragment: String) { text = "#" + percentEncodedComponent(fragment) }

    /// A text that was made from another link.
    init(constant text: String) { self.text = text }
}
