internal import PageExchange
internal import StepDomain
internal import StepServices
internal import StepViews

/// The handlers of the pages that only show something. Their routes are in `show`, in LocalPages.swift.
extension LocalPages {
    /// How a page is delivered: for a browser, or its numbers for a program.
    enum Format: String { case html, json, csv, svg }

    /// `2026-11-03.json` is 2026-11-03 as JSON.
    static func split(_ text: String) -> (word: String, format: Format) {
        for format in [Format.json, .csv, .svg] where text.hasSuffix(".\(format.rawValue)") {
            return (String(text.dropLast(format.rawValue.count + 1)), format)
        }
        return (text, .html)
    }

    /// The first day of `2026`, `2026-11` or `2026-11-03`; today where nothing is named.
    func day(_ word: String, _ unit: Period.Unit, _ context: PageContext) throws -> Day {
        if word.isEmpty { return context.today }
        let whole =
            unit == .month && word.count == 7 ? word + "-01" : unit == .year && word.count == 4 ? word + "-01-01" : word
        guard let day = Day(whole) else {
            throw PageError(
                message: "'\(Printable(word, limit: 32))' is not a \(unit.rawValue).",
                advice: "A day is written like 2026-11-03.")
        }
        try ServiceError.checkBegun(day, today: context.today)
        return day
    }

    func range(_ request: PageRequest, _ context: PageContext) throws -> Period {
        let advice = "Choose the first and the last day."
        guard let from = request.query["from"].flatMap({ Day($0) }), let to = request.query["to"].flatMap({ Day($0) })
        else {
            throw PageError(
                status: 400, title: "Invalid range",
                message: "The first and the last day are needed, written like 2026-11-03.", advice: advice)
        }
        guard from <= to else {
            let message = "The range ends (\(context.date(to))) before it begins (\(context.date(from)))."
            throw PageError(status: 400, title: "Invalid range", message: message, advice: advice)
        }
        try ServiceError.checkBegun(from, today: context.today)
        return Period(from...to, weekStart: context.weekStart)
    }

    /// The date picker's address: redirects to the page of the date.
    func go(_ request: PageRequest, _ context: PageContext) throws -> ServedResponse {
        guard let unit = request.query["unit"].flatMap(Period.Unit.init(rawValue:)) else {
            throw PageError.nothingHere
        }
        let day = try day(request.query["date"] ?? "", unit, context)
        return .redirect(to: context.link(to: Period(unit, containing: day, weekStart: context.weekStart)) ?? Link([]))
    }

    /// - Parameter saved: what a form has done, as the word in the address.
    func showDay(_ day: Day, _ format: Format, _ scope: RequestScope, saved: String?) throws -> ServedResponse {
        switch format {
        case .json: return ServedResponse(type: "application/json", try scope.summary(of: day).view.json())
        case .svg:
            return ServedResponse(
                type: ServedResponse.picture,
                DayCard(try scope.summary(of: day).view, units: scope.context.units).document.source)
        case .csv:
            let figures = try scope.figures()
            return ServedResponse(type: "text/csv; charset=utf-8", Self.csv(figures, Period(.day, containing: day)))
        case .html:
            var page = try dayPage(day, scope)
            page.message = saved.flatMap { Self.messagesOfDay[$0] }
            return .page(page.document)
        }
    }

    func dayPage(_ day: Day, _ scope: RequestScope) throws -> DayPage {
        let (view, data) = try scope.summary(of: day)
        let changes = try OutboxService(scope.services).changes(of: scope.context.user, on: day)
        let shares = try destinations(scope).map { name in
            DayPage.Share(
                state: try scope.history.state(of: name),
                entry: try changes.first { $0.destination == name }
                    ?? scope.history.entry(for: name, of: scope.context.user.id, on: day))
        }
        return DayPage(
            view: view, figures: try scope.figures(),
            provenance: try DayProvenance(of: data, in: scope.history, localTime: scope.context.localTime),
            shares: shares,
            notices: day == scope.context.today ? try scope.newNotices : [], context: scope.context)
    }

    /// What the page of a day says after a form was sent, by the word in its address.
    private static let messagesOfDay = [
        "correction": "The correction is saved.",
        "counted": "The correction is removed: the day has its counted steps.",
    ]

    func showPeriod(_ period: Period, _ format: Format, _ scope: RequestScope) throws -> ServedResponse {
        let figures = try scope.figures()
        switch format {
        case .html: return .page(PeriodPage(figures: figures, period: period, context: scope.context).document)
        case .json: return ServedResponse(type: "application/json", try HistoryView(figures, period, by: .day).json())
        case .csv: return ServedResponse(type: "text/csv; charset=utf-8", Self.csv(figures, period))
        case .svg:
            guard period.unit == .year else { throw PageError(message: "Pictures exist only for a day or a year.") }
            return ServedResponse(
                type: ServedResponse.picture,
                YearPicture(statistics: figures.statistics(of: period), user: scope.context.user).document.source)
        }
    }

    /// As `istep history --by day --csv` prints it.
    private static func csv(_ figures: DaySeries, _ period: Period) -> String {
        HistoryView(figures, period, by: .day).csv.map { $0 + "\n" }.joined()
    }

    /// Names of those that are configured, and of those that have days in the outbox.
    private func destinations(_ scope: RequestScope) throws -> [String] {
        let waiting = try scope.history.unsettledEntries().map(\.destination)
        return (scope.services.destinationNames + waiting).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    func sharePage(_ scope: RequestScope) throws -> SharePage {
        let entries = try OutboxService(scope.services).waiting(of: scope.context.user)
        var problem: String?
        do { _ = try scope.services.destinations() } catch {
            problem = ErrorText(error).with(scope.context.commandOptions).line
        }
        return SharePage(
            context: scope.context, states: try destinations(scope).map { try scope.history.state(of: $0) },
            entries: entries, problem: problem)
    }

    func devicesPage(_ scope: RequestScope) throws -> DevicesPage {
        DevicesPage(
            context: scope.context, notices: try scope.notices, entries: try entries(scope.history.pedometers(), scope),
            sources: try entries(scope.history.importSources(), scope))
    }

    private func entries(_ pedometers: [Pedometer], _ scope: RequestScope) throws -> [DevicesView.Entry] {
        let names = Dictionary(scope.context.users.map { ($0.id, $0.name) }) { first, _ in first }
        return try pedometers.map { pedometer in
            DevicesView.Entry(
                pedometer: pedometer, model: services.modelTitle(pedometer.model), user: names[pedometer.user] ?? "",
                syncs: try scope.history.recentSyncs(of: pedometer.id, at: scope.context.now).syncs)
        }
    }

    func overviewPage(_ scope: RequestScope) throws -> OverviewPage {
        OverviewPage(
            view: try scope.summary(of: scope.context.today).view, figures: try scope.figures(),
            pedometers: try entries(scope.history.pedometers(of: scope.context.user.id), scope),
            notices: try scope.newNotices,
            activity: activity.state,
            context: scope.context)
    }

    func planPage(_ scope: RequestScope, plan: PlanForm? = nil, profile: ProfileForm? = nil, message: String? = nil)
        throws -> PlanPage
    {
        let user = scope.context.user.id
        let plans = try scope.history.plans(of: user)
        let profiles = try scope.history.profiles(of: user)
        return PlanPage(
            context: scope.context, plan: plan ?? PlanForm(plans.effective(on: scope.context.today)),
            profile: profile ?? ProfileForm(profiles.effective(on: scope.context.today), scope.context.units),
            plans: plans.reversed(),
            profiles: profiles.reversed(), message: message)
    }
}
