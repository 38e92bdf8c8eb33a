import Foundation

/// A dashboard for Grafana that the manual has.
struct Dashboard: Decodable {
    private struct Target: Decodable { var rawSql, query, expr: String? }
    private struct Panel: Decodable {
        var title: String
        var targets: [Target]
    }
    private struct Variable: Decodable { var name: String, type: String, query: String }
    private struct Templating: Decodable { var list: [Variable] }

    private var panels: [Panel]
    private var templating: Templating

    /// - Parameter name: of its file, without extension.
    static func read(_ name: String) throws -> Dashboard {
        let file = URL(filePath: #filePath).appending(path: "../../../../.github/manual/dashboards/\(name).json")
        return try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: file.standardizedFileURL))
    }

    /// Each query, with the title of its panel or the name of the variable that it fills.
    var queries: [(title: String, query: String)] {
        panels.flatMap { panel in
            panel.targets.map { (panel.title, $0.rawSql ?? $0.query ?? $0.expr ?? "") }
        } + templating.list.filter { $0.type == "query" }.map { ($0.name, $0.query) }
    }
}
