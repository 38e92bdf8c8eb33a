internal import StepDomain

/// The parts of a form that change something: fields with what was typed and what is wrong with it.
extension FilledForm {
    /// A field with its label.
    ///
    /// - Parameters:
    ///   - name: of the value in the form.
    ///   - attributes: of the field, such as its type.
    ///   - id: unique in the page; nil for `name`.
    func field(_ name: String, _ label: String, _ attributes: [Attribute] = [], id: String? = nil) -> Markup {
        let id = id ?? name
        let isWrong = errors[name] != nil
        // A date field would drop what is no date: such a value stays as it was typed.
        let shown = isWrong && values[name].flatMap({ Day($0) }) == nil ? [] : attributes
        return Element.div {
            Element.label(Attribute(.for, id)) { label }
            Element.input(
                shown + [
                    Attribute(.id, id), Attribute(.name, name), Attribute(.value, values[name] ?? ""),
                    Attribute(.autocomplete, "off"),
                ]
                    + (isWrong
                        ? [
                            Attribute(.ariaInvalid, "true"), Attribute(.ariaDescribedby, "\(id)-error"),
                            // The browser shows the form with the error, however far down the page it is.
                            Attribute(.autofocus, true),
                        ] : []))
            original(name)
            error(name, id)
        }
    }

    /// The days to which a plan or a profile applies.
    ///
    /// - Parameters:
    ///   - id: the beginning of the identifiers of its fields.
    ///   - isFirst: whether there is none yet: mostly it is for all days, as on the command line.
    @MarkupBuilder func validity(_ id: String, isFirst: Bool) -> Markup {
        let choices = [(FilledForm.today, "from today on"), (FilledForm.beginning, "from the beginning")]
        Element.div {
            Element.label(Attribute(.for, "\(id)-days")) { "Applies" }
            Element.select(Attribute(.id, "\(id)-days"), Attribute(.name, "valid")) {
                (isFirst ? choices.reversed() : choices).map { value, words in
                    Element.option(Attribute(.value, value), Attribute(.selected, values["valid"] == value)) { words }
                }
            }
        }
        field("valid-from", "or from another day on", [Attribute(.type, "date")], id: "\(id)-from")
    }

    /// What the field had when the page was made.
    @MarkupBuilder func original(_ name: String) -> Markup {
        if let original = originals[name] { Element.hidden(FilledForm.nameOfOriginal(name), original) }
    }

    @MarkupBuilder func error(_ name: String, _ id: String) -> Markup {
        if let error = errors[name] { Element.p(.css("error"), Attribute(.id, "\(id)-error")) { error } }
    }

    /// Above a form with values that are wrong; each is named at its field.
    @MarkupBuilder var invalid: Markup {
        if !errors.isEmpty {
            NoticeBox.markup(.bad, "Nothing was saved") {
                Element.p(.css("small")) {
                    errors.count == 1 ? "One value is not valid." : "\(errors.count) values are not valid."
                }
            }
        }
    }

    static func save(_ words: String) -> Markup {
        Element.div(.css("actions")) { Element.button(Attribute(.type, "submit")) { words } }
    }
}

extension Element {
    /// A field of a form that is not shown.
    static func hidden(_ name: String, _ value: String) -> Markup {
        Element.input(Attribute(.type, "hidden"), Attribute(.name, name), Attribute(.value, value))
    }
}
