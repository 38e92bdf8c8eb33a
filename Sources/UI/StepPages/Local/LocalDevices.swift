internal import PageExchange
internal import Support
internal import StepDomain
internal import StepServices
internal import StepViews
internal import Synchronization

/// What the last search for pedometers has found: the page that adds one shows it.
final class FoundDevices: Sendable {
    struct Search: Sendable {
        var devices: [ScannedDevice]
        /// The end of the search.
        var at: Timestamp
    }

    private let last = Mutex<Search?>(nil)

    /// Nil if none was made since the server was started.
    var search: Search? {
        get { last.withLock { $0 } }
        set { last.withLock { $0 = newValue } }
    }
}

/// The forms that add, rename and forget pedometers, by the service of `istep add`, `devices --rename` and `forget`.
extension LocalPages {
    private func registration(_ scope: RequestScope) -> Registration {
        Registration(scope.history, scanner: services.scanner(), catalog: services.catalog)
    }

    func scan(_ scope: RequestScope) throws -> ServedResponse {
        let search = DeviceSearch(services.scanner())
        return try begin("Search for pedometers", scope) { progress in
            let report = try await search.run(
                DeviceSearch.Request(seconds: services.searchTime),
                registered: { (try? await blocking { try scope.history.pedometers() }) ?? [] },
                progress: { step in
                    let line = ProgressWords.line(step)
                    if !line.isEmpty { progress(line) }
                })
            try Task.checkCancellation()
            found.search = FoundDevices.Search(devices: report.devices, at: services.now())
            return Activity.Result(
                lines: ScanView(report).lines(scope.context.textStyle),
                next: Activity.Next(words: "Add a pedometer", path: ["devices", "add"]))
        }
    }

    func addDevice(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        var form = AdditionForm(request.form)
        guard let (device, name) = form.checked(services.catalog) else {
            let filled = form
            return .page(try await blocking { try additionPage(scope, filled).document }, status: 422)
        }
        let registration = registration(scope)
        let people = UserSelection(scope.history, wanted: scope.context.user.name, login: scope.context.user.name)
        return try begin("Add a pedometer", scope) { progress in
            let (added, owner) = try await registration.register(
                Registration.Request(device: device, name: name, seconds: services.searchTime), of: people,
                plain: { Printable($0).description }, progress: { progress(ProgressWords.line($0)) })
            var lines = [RegistrationWords.added(added, model: services.modelTitle(added.model), user: owner)]
            if let caveat = services.catalog.kind(added.model).flatMap(RegistrationWords.caveat) {
                lines.append(caveat)
            }
            if scope.services.reader(nil, []).holdsTodayOnly(added) { lines.append(RegistrationWords.holdsTodayOnly) }
            lines.append("Select Sync to read its steps.")
            return Activity.Result(lines: lines, next: Activity.Next(words: "Pedometers", path: ["devices"]))
        }
    }

    func renameDevice(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let pedometer = try await pedometer(request.form["pedometer"], scope)
        var form = FilledForm()
        form.values["name"] = request.form["name"]
        if let name = form.values["name"] {
            form.errors["name"] = NameRule.problem(of: name).map { "The name is not valid: \($0)." }
            if form.errors.isEmpty {
                do {
                    _ = try await blocking { try registration(scope).rename(pedometer.address, to: name) }
                    return redirect(to: ["devices"], saved: "renamed", scope)
                } catch let error as ServiceError where error.isAboutName {
                    form.errors["name"] = ErrorText(error).with(scope.context.commandOptions).line
                }
            }
        } else {
            form.errors["name"] = "Enter a name."
        }
        let filled = form
        return .page(
            try await blocking {
                var page = try devicesPage(scope)
                page.renaming = (pedometer.id, filled)
                return page.document
            }, status: 422)
    }

    func forgetDevice(_ request: PageRequest, _ scope: RequestScope) async throws -> ServedResponse {
        let pedometer = try await pedometer(request.form["pedometer"], scope)
        _ = try await registration(scope).forget(pedometer.address, unpairing: false)
        return redirect(to: ["devices"], saved: "forgotten", scope)
    }

    /// The page that asks before a pedometer is removed.
    func forgettingPage(_ request: PageRequest, _ scope: RequestScope) throws -> ForgettingPage {
        let pedometer = try find(request.query["pedometer"], scope)
        let owner = scope.context.users.first { $0.id == pedometer.user }
        return ForgettingPage(context: scope.context, pedometer: pedometer, owner: owner?.name ?? "")
    }

    func additionPage(_ scope: RequestScope, _ form: AdditionForm = AdditionForm()) throws -> AdditionPage {
        let known = try scope.history.pedometers()
        return AdditionPage(
            context: scope.context, search: found.search,
            registered: Dictionary(known.map { ($0.address, $0.name) }) { first, _ in first }, filled: form)
    }

    private func pedometer(_ address: String?, _ scope: RequestScope) async throws -> Pedometer {
        try await blocking { try find(address, scope) }
    }

    /// - Throws: `PageError` for one that is not, or no longer, in use; the history's error.
    private func find(_ address: String?, _ scope: RequestScope) throws -> Pedometer {
        guard let address else { throw PageError.incomplete("The pedometer is missing.") }
        do {
            return try PedometerSelection(scope.history).pedometer(address)
        } catch ServiceError.unknownPedometer {
            throw PageError(
                title: "Pedometer not found",
                message: "There is no pedometer '\(Printable(address, limit: 64))'.",
                advice: "It may have been removed since the page was loaded.")
        }
    }

    /// What the page of the pedometers says after a form was sent, by the word in its address.
    static let messagesOfDevices = [
        "renamed": "The pedometer has its new name.",
        "forgotten": "The pedometer is removed. Its steps stay in the history.",
    ]
}

extension ServiceError {
    /// Whether another name is what helps.
    fileprivate var isAboutName: Bool {
        switch self {
        case .nameTaken, .nameIsAddress: true
        default: false
        }
    }
}
