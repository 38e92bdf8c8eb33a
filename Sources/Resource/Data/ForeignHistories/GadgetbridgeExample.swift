import Foundation
import GRDBSQLite
public import StepDomain

/// A database as Gadgetbridge exports it, for the demo.
public enum GadgetbridgeExample {
    /// Writes the steps of one ring to a new file, which only its owner can read.
    ///
    /// - Parameter samples: quarters of an hour.
    /// - Throws: `ImportError.unreadable` for a file that cannot be written.
    public static func write(_ samples: [StepSample], of device: String, to path: String) throws {
        func failure(_ reason: String) -> ImportError { .unreadable(path: path, reason: reason) }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(String(cString: strerror(errno))) }
        close(file)
        var opened: OpaquePointer?
        guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK, let opened
        else {
            sqlite3_close_v2(opened)
            throw failure("SQLite cannot open it")
        }
        defer { sqlite3_close_v2(opened) }
        let rows = samples.map {
            "(\($0.start.seconds),1,1,1,\($0.steps),-1,\(Int($0.distance ?? 0)),\(Int($0.energy ?? 0)))"
        }
        var statements = [
            """
            PRAGMA journal_mode = OFF; BEGIN;
            CREATE TABLE DEVICE (_id INTEGER PRIMARY KEY, NAME TEXT NOT NULL, MANUFACTURER TEXT NOT NULL, IDENTIFIER TEXT NOT NULL UNIQUE,
                TYPE INTEGER NOT NULL, TYPE_NAME TEXT NOT NULL, MODEL TEXT, ALIAS TEXT, PARENT_FOLDER TEXT);
            CREATE TABLE USER (_id INTEGER PRIMARY KEY, NAME TEXT NOT NULL, BIRTHDAY INTEGER NOT NULL, GENDER INTEGER NOT NULL);
            CREATE TABLE COLMI_ACTIVITY_SAMPLE (TIMESTAMP INTEGER NOT NULL, DEVICE_ID INTEGER NOT NULL, USER_ID INTEGER NOT NULL,
                RAW_KIND INTEGER NOT NULL, STEPS INTEGER NOT NULL, HEART_RATE INTEGER NOT NULL, DISTANCE INTEGER NOT NULL,
                CALORIES INTEGER NOT NULL, PRIMARY KEY (TIMESTAMP, DEVICE_ID) ON CONFLICT REPLACE) WITHOUT ROWID;
            INSERT INTO DEVICE VALUES (1, '\(device)', 'Colmi', 'C0:DE:00:00:01:01', 1, 'COLMI_R02', NULL, NULL, NULL);
            INSERT INTO USER VALUES (1, 'demo', 0, 2);
            """
        ]
        for start in stride(from: 0, to: rows.count, by: 500) {
            statements.append(
                "INSERT INTO COLMI_ACTIVITY_SAMPLE VALUES "
                    + rows[start..<min(start + 500, rows.count)].joined(separator: ","))
        }
        for statement in statements + ["COMMIT"] where sqlite3_exec(opened, statement, nil, nil, nil) != SQLITE_OK {
            throw failure(String(cString: sqlite3_errmsg(opened)))
        }
    }
}
