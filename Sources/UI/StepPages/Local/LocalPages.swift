package import PageExchange
internal import StepDomain
internal import StepServices
internal import StepViews
internal import Support

/// The local page: its routes, that is, what each address shows and what each form does.
///
/// It reads and changes the history by the same services as the commands, so that a figure or a rule is the same in
/// both.
package struct LocalPages: Sendable {
    let services: PageServices
    let activity = Activity()
    let found = FoundDevices()
    private let requestGuard: RequestGuard

    package init(_ services: PageServices) {
        self.services = services
        requestGuard = RequestGuard(access: services.access, commandOptions: services.commandOptions)
    }

    /// Whether a sync, a share or a search that was begun here still runs.
    package var isBusy: Bool { activity.isRunning }

    /// Ends what was begun here, and returns when it has ended.
    package func end() async { await activity.stop() }

    /// The handler of the server.
    package func respond(to request: ServedRequest) async -> ServedResponse {
        await respond(
            to: PageRequest(
                method: request.method, target: request.target, headers: request.headers, body: request.body))
    }

    /// - Parameter request: nil for one that could not be read.
    package func respond(to request: PageRequest?) async -> ServedResponse {
        guard let request else {
            return ServedResponse.page(MessagePage.refusal("The request is invalid."), status: 400).secured
        }
        if let guest = services.guest { return await respond(to: request, asGuest: guest).secured }
        switch requestGuard.decide(request) {
        case .refused(let status, let message):
            return ServedResponse.page(MessagePage.refusal(message), status: status).secured
        case .opened(let cookie):
            // Not a redirection: if the request came from elsewhere, such as a file, a browser would not send the new
            // cookie with the next one (RFC 6265bis, 5.2).
            var response = ServedResponse.page(MessagePage.opening(user: request.query["user"]))
            response.headers.append(("Set-Cookie", cookie))
            return response.secured
        case .admitted(let session): return await answer(request, session).secured
        }
    }

    private func answer(_ request: PageRequest, _ session: PageSession) async -> ServedResponse {
        if let response = serveWithoutHistory(request) { return response }
        let scope: RequestScope
        do {
            scope = try await blocking {
                try RequestScope(
                    request, .local(formKey: session.formKey), services, isBusy: activity.isRunning)
            }
        } catch  where services.histories.isMissing(error) {
            let context = emptyContext(.local(formKey: session.formKey))
            if request.method == "POST" {
                return .page(
                    MessagePage.firstSteps(context, refusing: "Nothing was done: there is no history yet"), status: 409)
            }
            // A program must not take the page for numbers.
            let isForPrograms = request.path.last.map { Self.split($0).format != .html } ?? false
            return .page(MessagePage.firstSteps(context), status: isForPrograms ? 404 : 200)
        } catch let unknown as UnknownStandardUser {
            var context = emptyContext(.local(formKey: session.formKey))
            (context.users, context.isUserNamed) = (unknown.users, true)
            return .page(MessagePage.choice(of: unknown, context, for: request), status: 503)
        } catch {
            return message(error, emptyContext(.local(formKey: session.formKey)))
        }
        do {
            if request.method == "POST" { return try await act(request, scope) }
            return try await blocking { try show(request, scope) }
        } catch {
            // The links lead on to the pages of the same person.
            return message(error, scope.context)
        }
    }

    // MARK: Routes
    //
    // All routes are in the three functions below, except /open/TOKEN, which gives a browser its session:
    // `RequestGuard`.

    /// The routes that need no history: the files that pages load, and the progress of a run.
    func serveWithoutHistory(_ request: PageRequest) -> ServedResponse? {
        switch request.path {
        case ["istep.css"]: return ServedResponse(type: "text/css; charset=utf-8", StyleSheet.pages.source)
        case ["istep.js"]: return ServedResponse(type: "text/javascript; charset=utf-8", LocalFiles.script)
        // Browsers also ask for the second by themselves.
        case ["icon.svg"], ["favicon.ico"]: return ServedResponse(type: ServedResponse.picture, LocalFiles.icon)
        case ["events"] where request.method == "GET": return .events(activity.events())
        default: return nil
        }
    }

    /// The routes that show something: GET and HEAD.
    ///
    /// - Throws: the history's error; `PageError`.
    func show(_ request: PageRequest, _ scope: RequestScope) throws -> ServedResponse {
        var path = request.path
        // The numbers of the present period: `month.csv`.
        if path.count == 1, let first = path.first, case (let unit, let format) = Self.split(first), format != .html,
            unit != "range"
        {
            path = [unit, "." + format.rawValue]
        }
        switch path.first {
        case nil: return .page(try overviewPage(scope).document)
        case "day", "week", "month", "year":
            guard path.count <= 2, let unit = path.first.flatMap(Period.Unit.init(rawValue:)) else { break }
            let (word, format) = Self.split(path.count > 1 ? path[1] : "")
            let day = try day(word, unit, scope.context)
            let period = Period(unit, containing: day, weekStart: scope.context.weekStart)
            return unit == .day
                ? try showDay(day, format, scope, saved: request.query["saved"])
                : try showPeriod(period, format, scope)
        case let word? where word == "range" || word.hasPrefix("range.") && path.count == 1:
            let format = Self.split(word.replacing("range", with: "", maxReplacements: 1)).format
            return try showPeriod(try range(request, scope.context), format, scope)
        case "go" where path.count == 1: return try go(request, scope.context)
        case "share" where path.count == 1: return .page(try sharePage(scope).document)
        case "devices" where path.count == 1:
            var page = try devicesPage(scope)
            page.message = request.query["saved"].flatMap { Self.messagesOfDevices[$0] }
            return .page(page.document)
        case "devices" where path == ["devices", "add"]: return .page(try additionPage(scope).document)
        case "devices" where path == ["devices", "forget"]: return .page(try forgettingPage(request, scope).document)
        case "plan" where path.count == 1:
            return .page(
                try planPage(scope, message: request.query["saved"].flatMap { Self.messagesOfPlan[$0] }).document)
        case "activity" where path.count == 1:
            return .page(ActivityPage(context: scope.context, state: activity.state).document)
        default: break
        }
        throw PageError.nothingHere
    }

    /// The routes that change something: POST.
    ///
    /// - Throws: the history's error; `PageError`.
    private func act(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        switch request.path {
        case ["sync"]: return try begin("Sync", scope) { try await sync(scope, $0) }
        case ["share"]: return try share(request, scope)
        case ["outbox", "retry"]: return try retry(request, scope)
        case ["outbox", "drop"]: return try await drop(request, scope)
        case ["notices", "dismiss"]: return try await dismiss(request, scope)
        case ["plan"]: return try await setPlan(request, scope)
        case ["plan", "remove"]: return try await removePlan(request, scope)
        case ["profile"]: return try await setProfile(request, scope)
        case ["profile", "remove"]: return try await removeProfile(request, scope)
        case ["devices", "scan"]: return try scan(scope)
        case ["devices", "add"]: return try await addDevice(request, scope)
        case ["devices", "rename"]: return try await renameDevice(request, scope)
        case ["devices", "forget"]: return try await forgetDevice(request, scope)
        case ["correction"]: return try await correct(request, scope)
        case ["correction", "remove"]: return try await removeCorrection(request, scope)
        default: throw PageError.nothingHere
        }
    }

    // MARK: Messages

    /// For pages without a history.
    func emptyContext(_ audience: PageContext.Audience) -> PageContext {
        let preferences = services.preferences()
        var context = PageContext(
            user: .new(""), users: [], now: services.now(), localTime: services.localTime,
            weekStart: preferences.weekStart, units: preferences.units, audience: audience)
        context.historyOptions = services.commandOptions
        return context
    }

    func message(_ error: any Error, _ context: PageContext) -> ServedResponse {
        let page = pageError(error, context)
        return .page(
            MessagePage(
                context: context, title: page.title, message: page.message, advice: page.advice, next: page.next
            ).document,
            status: page.status)
    }

    static func notBegun(_ day: Day, _ today: Day) -> String {
        "\(DateForm.short.day(day, today: today)) has not begun; today is \(DateForm.short.day(today, today: today))."
    }

    private func pageError(_ error: any Error, _ context: PageContext) -> PageError {
        func date(_ day: Day) -> String { context.date(day) }
        func name(_ text: String) -> String { Printable(text, limit: 64).description }
        return switch error {
        case let error as PageError: error
        case ServiceError.dayNotBegun(let day, let today):
            PageError(title: "In the future", message: Self.notBegun(day, today))
        // The page was loaded before something else changed the outbox, or the day.
        case ServiceError.notInOutbox(let day, let destination):
            PageError(
                status: 409, title: "The outbox has changed",
                message: "\(date(day)) is not in the outbox of \(name(destination)).")
        case ServiceError.alreadySent(let day, let destination):
            PageError(
                status: 409, title: "The outbox has changed",
                message: "\(date(day)) was already sent to \(name(destination)).")
        case ServiceError.noPlanFrom(let day, _), ServiceError.noProfileFrom(let day, _):
            PageError(
                status: 409, title: "The entry is not there",
                message: "None begins on \(date(day)).", advice: "It may have been removed since the page was loaded.")
        case ServiceError.notCorrected(let day, _):
            PageError(status: 409, title: "The day has changed", message: "\(date(day)) has no correction.")
        default:
            PageError(
                status: 503, title: "Request failed", message: ErrorText(error).with(context.commandOptions).line)
        }
    }
}

/// Why there is no such page, in words for the reader.
struct PageError: Error, Hashable {
    var status = 404
    var title = "Page not found"
    var message: String
    var advice: String?
    /// A page to go on with.
    var next: Activity.Next?

    static let nothingHere = PageError(message: "There is nothing at this address.")

    /// A form that none of these pages sends: a field is missing or wrong.
    static func incomplete(_ message: String) -> PageError {
        PageError(status: 400, title: "The form is incomplete", message: message)
    }
}

/// What the local page loads besides its documents.
private enum LocalFiles {
    /// Shows the progress of a run as it comes. Without it, the page loads itself again every two seconds.
    static let script = """
        "use strict";
        // The arrow keys turn the page, where they do not move within a field or a table.
        document.addEventListener("keydown", event => {
            if (event.target !== document.body || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
            const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
            const link = rel && document.querySelector(`a[rel=${rel}]`);
            if (link) location.href = link.href;
        });
        // For browsers that cannot open them by the style sheet.
        addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(part => { part.open = true; }));
        const line = document.getElementById("activity-line");
        if (line && "EventSource" in window) {
            const events = new EventSource("/events");
            events.onmessage = event => { line.textContent = event.data; };
            events.addEventListener("end", () => { events.close(); location.reload(); });
            events.onerror = () => { events.close(); setTimeout(() => location.reload(), 1000); };
        }

        """

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0c6e48"/>\
        <path d="M16 6.5a9.5 9.5 0 1 1-9.5 9.5" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>

        """
}
