/// A figure with its name and a remark of a few words.
struct Figure: Sendable {
    /// A remark that says better or worse is coloured, too; it always has a sign or a word that says the same.
    enum Tendency: String, Sendable { case neutral = "", up, down }

    var name: String
    var value: String
    /// Smaller, behind the value.
    var unit = ""
    var remark = ""
    var tendency = Tendency.neutral
    var link: Link?

    init(
        _ name: String, _ value: String, unit: String = "", _ remark: String = "", _ tendency: Tendency = .neutral,
        link: Link? = nil
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.remark = remark
        self.tendency = tendency
        self.link = link
    }

    /// The largest figures of a page, beside each other.
    static func stats(_ figures: [Figure]) -> Markup {
        Element.dl(.css("stats")) {
            figures.map { figure in
                Element.div {
                    Element.dt { figure.name }
                    Element.dd(.css("value")) {
                        figure.value
                        if !figure.unit.isEmpty {
                            " "
                            Element.small { figure.unit }
                        }
                    }
                    if !figure.remark.isEmpty {
                        Element.dd(figure.tendency == .neutral ? nil : .css(figure.tendency.rawValue)) { figure.remark }
                    }
                }
            }
        }
    }

    /// All others, as a list.
    static func facts(_ figures: [Figure], _ classes: String = "") -> Markup {
        Element.dl(.css(Card.join("facts", classes))) {
            figures.map { figure in
                Element.div {
                    Element.dt { figure.name }
                    Element.dd {
                        figure.unit.isEmpty ? figure.value : "\(figure.value) \(figure.unit)"
                        if !figure.remark.isEmpty {
                            Element.small {
                                if let link = figure.link {
                                    Element.a(.href(link)) { figure.remark }
                                } else {
                                    figure.remark
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
