import Foundation
public import StepDomain

extension ScheduledImport {
    /// Reads a table `[import.NAME]`.
    ///
    /// - Parameters:
    ///   - home: the user's home directory, for paths that begin with ~/.
    ///   - formats: the keys of the formats that can be imported.
    /// - Throws: all that is wrong with it.
    public init(_ table: SettingsTable, home: String?, formats: [String]) throws(SettingsProblems) {
        var reader = TableReader(table, home: home)
        let expected = "a file or folder, such as \"~/Sync/gadgetbridge\""
        reader.require("path", expected)
        let path = reader.path("path", expected)
        let format = reader.choice("format", among: formats)
        let user = reader.text("user", "the name of a user")
        let fromUser = reader.text("from-user", "the name of a user in the file")
        let zone = reader.text("zone", "a time zone, such as \"Europe/Berlin\"")
        if let zone, TimeZone(identifier: zone) == nil {
            reader.refuse("zone", expected: "a time zone that this machine has, such as \"Europe/Berlin\"")
        }
        let columns = reader.value("columns", "the columns of a table, such as \"day=Date,steps=Count\"") {
            ForeignOptions.columns($0)
        }
        try reader.finish()
        self.init(
            name: table.name, path: path ?? "", format: format, user: user, fromUser: fromUser, zone: zone,
            columns: columns ?? [:])
    }
}
