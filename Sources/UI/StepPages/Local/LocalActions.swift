internal import PageExchange
internal import StepDomain
internal import StepServices
internal import StepViews
internal import Support

/// The handlers of the forms. Their routes are in `act`, in LocalPages.swift.
///
/// Each ends with the address of a page, so that loading that again repeats nothing.
extension LocalPages {
    // MARK: What takes time

    /// Begins it, and redirects to the page that shows how far it is.
    func begin(
        _ title: String, _ scope: RequestScope,
        _ work: @escaping @Sendable (_ progress: @escaping @Sendable (String) -> Void) async throws -> Activity.Result
    ) throws -> ServedResponse {
        let hasBegun = activity.start(title) { progress in
            do {
                return try await work(progress)
            } catch {
                return Activity.Result(
                    lines: [ErrorText(error).with(scope.context.commandOptions).line], hasFailed: true)
            }
        }
        guard hasBegun else {
            throw PageError(
                status: 409, title: "Already running", message: "A sync, a share or a search is already running.",
                next: Activity.Next(words: "See its progress", path: ["activity"]))
        }
        return redirect(to: ["activity"], scope)
    }

    /// - Parameter saved: what a form has done: a key of the messages of that page; nil where it says nothing.
    func redirect(to path: [String], saved: String? = nil, _ scope: RequestScope) -> ServedResponse {
        .redirect(to: Link(path, query: [("saved", saved ?? "")] + scope.context.userQuery))
    }

    func sync(_ scope: RequestScope, _ progress: @escaping @Sendable (String) -> Void) async throws -> Activity.Result {
        let localTime = services.localTime
        guard
            let run = try await RequestedSync(
                SyncRequest(user: scope.context.user.isNew ? nil : scope.context.user.name), in: services.histories,
                services: services.services)
        else { throw ServiceError.noPedometer(to: .sync) }
        let isClockRight = await run.context.waitForClock { progress(ClockWaitWords.waiting) }
        let outcome = try await run.run(progress: { progress(ProgressWords.line($0, localTime)) })
        let view = SyncView(outcome, now: services.now(), localTime: localTime)
        await run.context.markSeen(in: outcome)
        return Activity.Result(
            lines: view.lines(scope.context.textStyle)
                + view.failures.map { $0.with(scope.context.commandOptions).line }
                + (isClockRight ? [] : ["\(ClockWaitWords.problem) \(ClockWaitWords.advice)"]),
            hasFailed: outcome.worst != nil)
    }

    private func deliver(
        _ order: ShareOrder, by sharing: ShareService, _ scope: RequestScope, next: Activity.Next,
        _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> Activity.Result {
        let view = try await sharing.share(order, reporting: progress)
        return Activity.Result(
            lines: view.lines(scope.context.textStyle), hasFailed: view.reports.contains { $0.worst != nil }, next: next
        )
    }

    func share(_ request: PageRequest, _ scope: RequestScope) throws -> ServedResponse {
        let (destination, day) = try choice(request, scope, isDayNeeded: true)
        guard let day else { throw PageError.incomplete("The day is missing.") }
        let user = scope.context.user
        let next = Activity.Next(words: scope.context.date(day), path: ["day", "\(day)"])
        return try begin("Share \(scope.context.date(day))", scope) { progress in
            let sharing = try await blocking { try ShareService(scope.services).with([destination]) }
            return try await deliver(.days([day], of: user, again: false), by: sharing, scope, next: next, progress)
        }
    }

    func retry(_ request: PageRequest, _ scope: RequestScope) throws -> ServedResponse {
        let (destination, day) = try choice(request, scope, isDayNeeded: false)
        let user = scope.context.user
        return try begin(day.map { "Retry \(scope.context.date($0))" } ?? "Send waiting days", scope) { progress in
            let choice = OutboxService.Choice(destination: destination, day: day, user: user)
            let sharing = try await OutboxService(scope.services).retry(choice)
            let next = Activity.Next(words: "Share", path: ["share"])
            return try await deliver(.due, by: sharing, scope, next: next, progress)
        }
    }

    // MARK: What is done at once

    func drop(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let (destination, day) = try choice(request, scope, isDayNeeded: true)
        try await OutboxService(scope.services).drop(
            OutboxService.Choice(destination: destination, day: day, user: scope.context.user))
        return redirect(to: ["share"], scope)
    }

    private func choice(_ request: PageRequest, _ scope: RequestScope, isDayNeeded: Bool) throws -> (
        destination: String, day: Day?
    ) {
        guard let destination = request.form["destination"] else {
            throw PageError.incomplete("The destination is missing.")
        }
        if !isDayNeeded, request.form["day"] == nil { return (destination, nil) }
        return (destination, try day(request, scope))
    }

    /// The day that a form is about.
    private func day(_ request: PageRequest, _ scope: RequestScope) throws -> Day {
        guard let day = request.form["day"].flatMap({ Day($0) }) else {
            throw PageError.incomplete("A past day or today is needed, written like 2026-11-03.")
        }
        guard day <= scope.context.today else {
            throw PageError.incomplete(Self.notBegun(day, scope.context.today))
        }
        return day
    }

    func correct(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let day = try day(request, scope)
        guard CorrectionForm.isOffered(on: day) else {
            throw PageError.incomplete("The steps of \(scope.context.date(day)) cannot be corrected.")
        }
        var form = CorrectionForm(request.form)
        guard let correction = form.checked(on: day, today: scope.context.today) else {
            let filled = form
            return .page(
                try await blocking {
                    var page = try dayPage(day, scope)
                    page.correction = filled
                    return page.document
                }, status: 422)
        }
        try await blocking {
            let user = try services.people(scope.history).stored(scope.context.user)
            try corrections(scope).set(correction, on: day, of: user)
        }
        return redirect(to: ["day", "\(day)"], saved: "correction", scope)
    }

    func removeCorrection(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let day = try day(request, scope)
        try await blocking { try corrections(scope).remove(on: day, of: scope.context.user) }
        return redirect(to: ["day", "\(day)"], saved: "counted", scope)
    }

    private func corrections(_ scope: RequestScope) -> Corrections {
        Corrections(scope.history, localTime: scope.context.localTime, now: services.now)
    }

    func dismiss(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        guard let id = request.form["notice"].flatMap({ StoredNotice.ID($0) }) else {
            throw PageError.incomplete("The notice is missing.")
        }
        try await blocking {
            // Only what this person may see.
            if try scope.notices.contains(where: { $0.id == id }) {
                try scope.history.markSeen([id], at: scope.context.now)
            }
        }
        return redirect(to: ["devices"], scope)
    }

    func setPlan(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        var form = PlanForm(request.form)
        guard let (shown, changed, from) = form.checked(today: scope.context.today) else {
            let filled = form
            return .page(try await blocking { try planPage(scope, plan: filled).document }, status: 422)
        }
        let isSaved = try await blocking {
            let planning = Planning(scope.history, today: scope.context.today)
            let goals = try planning.goals(shown: shown, changed: changed, from: from, of: scope.context.user)
            if goals.isEmpty { return false }
            let user = try services.people(scope.history).stored(scope.context.user)
            try planning.setPlan(everyDay: nil, weekdays: goals, from: from, of: user)
            return true
        }
        return redirect(to: ["plan"], saved: isSaved ? "goals" : "nothing", scope)
    }

    func setProfile(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        var form = ProfileForm(request.form)
        guard let (changed, from) = form.checked(today: scope.context.today, scope.context.units) else {
            let filled = form
            return .page(try await blocking { try planPage(scope, profile: filled).document }, status: 422)
        }
        let isSaved = try await blocking {
            let planning = Planning(scope.history, today: scope.context.today)
            let change = try planning.profileChange(changed, from: from, of: scope.context.user)
            if change.isEmpty { return false }
            let user = try services.people(scope.history).stored(scope.context.user)
            try planning.setProfile(change, from: from, of: user)
            return true
        }
        return redirect(to: ["plan"], saved: isSaved ? "profile" : "nothing", scope)
    }

    func removePlan(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let day = try firstDay(request)
        try await blocking {
            try Planning(scope.history, today: scope.context.today).removePlan(from: day, of: scope.context.user)
        }
        return redirect(to: ["plan"], saved: "goals-removed", scope)
    }

    func removeProfile(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let day = try firstDay(request)
        try await blocking {
            try Planning(scope.history, today: scope.context.today).removeProfile(from: day, of: scope.context.user)
        }
        return redirect(to: ["plan"], saved: "profile-removed", scope)
    }

    /// The day from which the entry holds that a form is about.
    private func firstDay(_ request: PageRequest) throws -> Day {
        guard let day = request.form["from"].flatMap({ Day($0) }) else {
            throw PageError.incomplete("The first day is needed, written like 2026-11-03.")
        }
        return day
    }

    /// What the page of the plan says after a form was sent, by the word in its address.
    static let messagesOfPlan = [
        "goals": "The goals are saved.", "profile": "The profile is saved.",
        "goals-removed": "The plan is removed. Its days have the plan before it, or no goals.",
        "profile-removed": "The profile is removed. Its days have the profile before it, or none.",
        "nothing": "No value was changed, so nothing was saved.",
    ]
}
