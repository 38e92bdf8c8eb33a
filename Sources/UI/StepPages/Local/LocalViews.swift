internal import StepDomain
internal import StepServices
internal import StepViews

/// The pages that only show something.
extension LocalPages {
    /// How a page is delivered: for a browser, or its numbers for a program.
    private enum Format: String { case html, json, csv, svg }

    /// - Throws: the history's error; `PageError`.
    func show(_ request: PageRequest, _ visit: Visit) throws -> PageResponse {
        var path = request.path
        // The numbers of the present period: `month.csv`.
        if path.count == 1, let first = path.first, case (let unit, let format) = Self.split(first), format != .html, unit != "range" {
            path = [unit, "." + format.rawValue]
        }
        switch path.first {
        case nil: return .page(try overviewPage(visit).document)
        case "day", "week", "month", "year":
            guard path.count <= 2, let unit = path.first.flatMap(Period.Unit.init(rawValue:)) else { break }
            let (word, format) = Self.split(path.count > 1 ? path[1] : "")
            let day = try day(word, unit, visit.context)
            let period = Period(unit, containing: day, weekStart: visit.context.weekStart)
            return unit == .day ? try showDay(day, format, visit) : try showPeriod(period, format, visit)
        case let word? where word == "range" || word.hasPrefix("range.") && path.count == 1:
            let format = Self.split(word.replacing("range", with: "", maxReplacements: 1)).format
            return try showPeriod(try range(request, visit.context), format, visit)
        case "go" where path.count == 1: return try go(request, visit.context)
        case "share" where path.count == 1: return .page(try sharePage(visit).document)
        case "devices" where path.count == 1: return .page(try devicesPage(visit).document)
        case "plan" where path.count == 1:
            let messages = ["goals": "The goals are saved.", "profile": "The profile is saved."]
            return .page(try planPage(visit, message: request.query["saved"].flatMap { messages[$0] }).document)
        case "activity" where path.count == 1: return .page(ActivityPage(context: visit.context, state: activity.state).document)
        default: break
        }
        throw PageError(message: "There is nothing at this address.")
    }

    /// `2026-11-03.json` is 2026-11-03 as JSON.
    private static func split(_ text: String) -> (word: String, format: Format) {
        for format in [Format.json, .csv, .svg] where text.hasSuffix(".\(format.rawValue)") {
            return (String(text.dropLast(format.rawValue.count + 1)), format)
        }
        return (text, .html)
    }

    /// The first day of `2026`, `2026-11` or `2026-11-03`; today where nothing is named.
    private func day(_ word: String, _ unit: Period.Unit, _ context: PageContext) throws -> Day {
        if word.isEmpty { return context.today }
        let whole = unit == .month && word.count == 7 ? word + "-01" : unit == .year && word.count == 4 ? word + "-01-01" : word
        guard let day = Day(whole) else {
            throw PageError(message: "'\(Printable(word, limit: 32))' is not a \(unit.rawValue).", advice: "A day is written like 2026-11-03.")
        }
        try ServiceError.checkBegun(day, today: context.today)
        return day
    }

    private func range(_ request: PageRequest, _ context: PageContext) throws -> Period {
        let advice = "Choose the first and the last day."
        guard let from = request.query["from"].flatMap({ Day($0) }), let to = request.query["to"].flatMap({ Day($0) }) else {
            throw PageError(
                status: 400, title: "Invalid range", message: "The first and the last day are needed, written like 2026-11-03.", advice: advice)
        }
        guard from <= to else {
            throw PageError(status: 400, title: "Invalid range", message: "The range ends (\(to)) before it begins (\(from)).", advice: advice)
        }
        try ServiceError.checkBegun(from, today: context.today)
        return Period(from...to, weekStart: context.weekStart)
    }

    /// The date picker's address: goes on to the page of the date.
    private func go(_ request: PageRequest, _ context: PageContext) throws -> PageResponse {
        guard let unit = request.query["unit"].flatMap(Period.Unit.init(rawValue:)) else {
            throw PageError(message: "There is nothing at this address.")
        }
        let day = try day(request.query["date"] ?? "", unit, context)
        return .redirect(to: context.link(to: Period(unit, containing: day, weekStart: context.weekStart)) ?? Link([]))
    }

    private func showDay(_ day: Day, _ format: Format, _ visit: Visit) throws -> PageResponse {
        let (view, data) = try visit.summary(of: day)
        switch format {
        case .json: return PageResponse(type: "application/json", try view.json())
        case .svg: return PageResponse(type: "image/svg+xml", DayCard(view).document.source)
        case .csv:
            let figures = try visit.figures()
            return PageResponse(type: "text/csv; charset=utf-8", Self.csv(figures, Period(.day, containing: day)))
        case .html:
            let shares = try destinations(visit).map {
                DayPage.Share(destination: $0, entry: try visit.history.entry(for: $0, of: visit.context.user.id, on: day))
            }
            let provenance = try Provenance(of: data, in: visit.history, localTime: visit.context.localTime)
            let notices = day == visit.context.today ? try visit.newNotices : []
            let page = DayPage(
                view, figures: try visit.figures(), provenance: provenance, shares: shares, notices: notices, context: visit.context)
            return .page(page.document)
        }
    }

    private func showPeriod(_ period: Period, _ format: Format, _ visit: Visit) throws -> PageResponse {
        let figures = try visit.figures()
        switch format {
        case .html: return .page(PeriodPage(figures, period: period, context: visit.context).document)
        case .json: return PageResponse(type: "application/json", try HistoryView(figures, period, by: .day).json())
        case .csv: return PageResponse(type: "text/csv; charset=utf-8", Self.csv(figures, period))
        case .svg:
            guard period.unit == .year else { throw PageError(message: "Pictures exist only for a day or a year.") }
            return PageResponse(type: "image/svg+xml", YearPicture(figures.statistics(of: period), of: visit.context.user).document.source)
        }
    }

    /// As `istep history --by day --csv` prints it.
    private static func csv(_ figures: DailyFigures, _ period: Period) -> String {
        HistoryView(figures, period, by: .day).csv.map { $0 + "\n" }.joined()
    }

    /// Names of those that are configured, and of those that have days in the outbox.
    private func destinations(_ visit: Visit) throws -> [String] {
        let waiting = try visit.history.entries(for: nil, in: [.pending, .sending, .unknown, .rejected]).map(\.destination)
        return (visit.services.destinationNames + waiting).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func sharePage(_ visit: Visit) throws -> SharePage {
        let entries = try visit.history.entries(for: nil, in: [.pending, .sending, .unknown, .rejected]).filter {
            $0.user == visit.context.user.id
        }
        var problem: String?
        do { _ = try visit.services.destinations() } catch { problem = services.words(error) }
        return SharePage(
            context: visit.context, states: try destinations(visit).map { try visit.history.state(of: $0) }, entries: entries, problem: problem)
    }

    private func devicesPage(_ visit: Visit) throws -> DevicesPage {
        DevicesPage(context: visit.context, notices: try visit.notices, entries: try devices(visit) { _ in true })
    }

    private func devices(_ visit: Visit, _ isWanted: (Pedometer) -> Bool) throws -> [DevicesPage.Entry] {
        let names = Dictionary(visit.context.users.map { ($0.id, $0.name) }) { first, _ in first }
        return try visit.history.pedometers().filter(isWanted).map { pedometer in
            DevicesPage.Entry(
                pedometer: pedometer, model: services.modelTitle(pedometer.model), user: names[pedometer.user] ?? "",
                syncs: try visit.history.syncs(of: pedometer.id, limit: 20))
        }
    }

    private func overviewPage(_ visit: Visit) throws -> OverviewPage {
        OverviewPage(
            view: try visit.summary(of: visit.context.today).view, figures: try visit.figures(),
            pedometers: try devices(visit) { $0.user == visit.context.user.id }, notices: try visit.newNotices, activity: activity.state,
            context: visit.context)
    }

    func planPage(_ visit: Visit, plan: PlanForm? = nil, profile: ProfileForm? = nil, message: String? = nil) throws -> PlanPage {
        let user = visit.context.user.id
        let plans = try visit.history.plans(of: user)
        let profiles = try visit.history.profiles(of: user)
        return PlanPage(
            context: visit.context, plan: plan ?? PlanForm(plans.inForce(on: visit.context.today)),
            profile: profile ?? ProfileForm(profiles.inForce(on: visit.context.today)), plans: plans.reversed(), message: message)
    }
}
