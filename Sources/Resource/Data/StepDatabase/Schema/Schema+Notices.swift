extension Schema.Migration {
    /// Version 3: what made a sync fail, and what the nights have to say until it has been told.
    ///
    /// Failures of before have no more than their words; those of which the pedometer is innocent are known by them.
    static let notices = Schema.Migration(
        name: "notices",
        sql: """
            ALTER TABLE sync ADD COLUMN cause TEXT CHECK (cause IN ('outOfRange', 'machine', 'interrupted', 'other'));
            UPDATE sync SET cause =
                CASE WHEN failure LIKE '% was not heard within % s' THEN 'outOfRange'
                    WHEN failure IN ('interrupted', 'cancelled') THEN 'interrupted'
                    WHEN failure LIKE 'the Bluetooth adapter % is switched off' OR failure LIKE 'the Bluetooth adapter % is blocked %'
                        OR failure LIKE 'the Bluetooth adapter % went away' OR failure LIKE 'there is no Bluetooth adapter %'
                        OR failure LIKE 'no connection to the D-Bus bus: %' OR failure LIKE 'access denied: %'
                        OR failure IN ('this machine has no Bluetooth adapter', 'the Bluetooth service (bluetoothd) is not running',
                            'this kernel has no Bluetooth, or keeps it from this process') THEN 'machine'
                    ELSE 'other' END
            WHERE outcome = 'failed';

            CREATE TABLE notice (
                id INTEGER PRIMARY KEY,
                -- The same for the same thing.
                key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 1024),
                -- 'machine', 'pedometer:ID', 'user:ID' or 'destination:NAME', and its name as it was then.
                subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 512),
                name TEXT NOT NULL CHECK (length(name) <= 256),
                -- Whose concern it is, if not everybody's.
                person INTEGER REFERENCES person,
                since INTEGER NOT NULL,
                content TEXT NOT NULL CHECK (json_valid(content)),
                kept_at INTEGER NOT NULL,
                seen_at INTEGER,
                notified_at INTEGER,
                ended_at INTEGER
            ) STRICT;
            -- A thing that ended may come again; the same twice at once is never there.
            CREATE UNIQUE INDEX notice_standing ON notice (key) WHERE ended_at IS NULL;
            """)
}
