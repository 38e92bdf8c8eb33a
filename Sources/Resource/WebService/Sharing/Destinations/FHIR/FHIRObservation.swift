internal import StepDomain
internal import Support

/// An Observation of FHIR R4 (hl7.org/fhir/R4/observation.html), with the codes and units of the daily figures in HL7's
/// Physical Activity guide (hl7.org/fhir/us/physical-activity, examples ExampleDailySteps and ExampleCaloriesPerDay).
struct FHIRObservation: Encodable {
    struct Coding: Encodable {
        var system: String
        var code: String
        var display: String
    }

    struct Concept: Encodable {
        var coding: [Coding]?
        var text: String?
    }

    struct Identifier: Encodable {
        var system: String
        var value: String
    }

    struct Reference: Encodable { var reference: String }

    struct Quantity: Encodable {
        var value: Int
        var unit: String
        var system = "http://unitsofmeasure.org"
        var code: String
    }

    let resourceType = "Observation"
    var identifier: [Identifier]
    /// `preliminary` while more steps may come.
    var status: String
    var category = [
        Concept(coding: [
            Coding(
                system: "http://terminology.hl7.org/CodeSystem/observation-category", code: "activity",
                display: "Activity")
        ])
    ]
    var code: Concept
    var subject: Reference
    /// A date: the day at the place where the user walked.
    var effectiveDateTime: String
    var valueQuantity: Quantity
    var method: Concept?
}

extension FHIRObservation {
    /// What can be observed of a day.
    enum Figure: String {
        case steps, calories

        var code: Coding {
            switch self {
            case .steps:
                Coding(system: "http://loinc.org", code: "41950-7", display: "Number of steps in 24 hour Measured")
            case .calories:
                Coding(system: "http://loinc.org", code: "41979-6", display: "Calories burned in 24 hour Calculated")
            }
        }
    }

    /// Nil if the figure is not known.
    init?(_ figure: Figure, of day: SharedDay, subject: String, system: String) {
        let quantity: Quantity
        switch figure {
        case .steps: quantity = Quantity(value: day.steps, unit: "steps per day", code: "/d")
        case .calories:
            // Those of a deleted day are replaced.
            guard let kilocalories = day.kilocalories ?? (day.isDeletion ? 0 : nil) else { return nil }
            quantity = Quantity(value: kilocalories, unit: "kilocalories per day", code: "kcal/d")
            // The code also covers total energy.
            method = Concept(
                text: day.summary.energySource == .pedometer
                    ? "As the pedometer calculated it" : "Energy of walking and running above rest")
        }
        identifier = [Identifier(system: system, value: Self.identity(figure, of: day, subject: subject))]
        status = day.summary.isInProgress || day.summary.completeness != .complete ? "preliminary" : "final"
        code = Concept(coding: [figure.code])
        self.subject = Reference(reference: subject)
        effectiveDateTime = "\(day.day)"
        valueQuantity = quantity
    }

    /// One for each figure of each day: the server uses it to find the Observation to replace. It contains the subject,
    /// so that people of the same name on one server never replace each other's days, and nothing that must be escaped
    /// in a search (hl7.org/fhir/R4/search.html#escaping).
    private static func identity(_ figure: Figure, of day: SharedDay, subject: String) -> String {
        let name = percentEncoded(day.user.name, keeping: \.isAlphanumeric)
        return "\(subject)/\(name)/\(day.day)/\(figure.rawValue)"
    }
}
