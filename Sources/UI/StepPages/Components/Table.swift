/// A table: words left, numbers right.
struct Table: Sendable {
    struct Column: Sendable {
        var name: String
        var isNumber = true

        static func words(_ name: String) -> Column { Column(name: name, isNumber: false) }
        static func number(_ name: String) -> Column { Column(name: name) }
    }

    struct Row: Sendable {
        /// What links of the same document lead to.
        var id: String?
        var heading: Markup
        /// One for each column but the first; empty where there is no value.
        var cells: [Markup]

        init(_ heading: Markup, _ cells: [Markup], id: String? = nil) {
            self.heading = heading
            self.cells = cells
            self.id = id
        }

        init(_ heading: String, _ cells: [String]) { self.init(.text(heading), cells.map { .text($0) }) }
    }

    /// What it shows, for screen readers; the eye has the heading above.
    var caption: String
    var columns: [Column]
    var rows: [Row]
    /// On a phone, each row becomes a card of names and values: for tables that are too wide for it.
    var isCards = false

    var markup: Markup {
        // `display` takes the roles of a table away, so they are named.
        Element.table(isCards ? .css("cards") : nil, role("table")) {
            Element.caption(.css("vh")) { caption }
            Element.thead(role("rowgroup")) {
                Element.tr(role("row")) {
                    columns.map { column in
                        Element.th(Attribute(.scope, "col"), column.isNumber ? .css("num") : nil, role("columnheader"))
                        { column.name }
                    }
                }
            }
            Element.tbody(role("rowgroup")) { rows.map(row) }
        }
    }

    private func row(_ row: Row) -> Markup {
        Element.tr(row.id.map { Attribute(.id, $0) }, role("row")) {
            Element.th(Attribute(.scope, "row"), role("rowheader")) { row.heading }
            zip(columns.dropFirst(), row.cells).map { column, cell in
                Element.td(
                    column.isNumber ? .css("num") : nil, role("cell"),
                    isCards ? Attribute(.dataLabel, column.name) : nil
                ) { cell }
            }
        }
    }

    private func role(_ name: String) -> Attribute? { isCards ? Attribute(.role, name) : nil }

    /// Folded up below a chart. Many short rows flow into columns.
    var numbers: Markup {
        Element.details(.css("numbers")) {
            Element.summary {
                "Numbers"
                Element.span(.css("vh")) { ": \(caption)" }
            }
            Element.div(.css(rows.count > 14 && columns.count <= 4 ? "scroll flow" : "scroll")) { markup }
        }
    }
}
