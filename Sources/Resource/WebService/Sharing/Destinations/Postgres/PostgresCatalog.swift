internal import Postgres

/// What a server's catalog has of istep, in the words of `PostgresExpected`.
struct PostgresCatalog {
    private(set) var facts: [PostgresFact.Key: PostgresFact] = [:]

    /// - Parameter connection: in a transaction that searches `pg_catalog` only: the server writes all other names with
    ///   their schema then.
    init(_ connection: PostgresConnection) throws(PostgresError) {
        for row in try connection.run(Self.query) {
            guard let kind = row[0].flatMap(PostgresFact.Kind.init), let object = row[1], let name = row[2],
                let text = row[3]
            else { continue }
            let definition =
                switch kind {
                case .policy: PostgresExpected.condition(text)
                case .function: Self.function(text)
                default: text
                }
            facts[.init(kind: kind, object: object, name: name)] = PostgresFact(
                definition: definition, removal: row[4])
        }
    }

    /// Whether it runs with the rights of its owner, its settings, and its text.
    private static func function(_ text: String) -> String {
        let parts = text.split(separator: "\u{1}", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return text }
        return PostgresExpected.function(
            isDefiner: parts[0] == "t", settings: parts[1].split(separator: "\u{2}").map(String.init),
            body: String(parts[2]))
    }

    /// All facts at once: kind, object, name, definition, the statement that removes it.
    private static var query: String {
        let parts = PostgresFact.Kind.allCases.map { kind in
            """
            SELECT '\(kind.rawValue)' AS kind, object::text, name::text, definition, removal
            FROM (\(selection(of: kind))) AS x (object, name, definition, removal)
            """
        }
        return """
            WITH RECURSIVE class AS (
                SELECT * FROM pg_class WHERE relnamespace = 'istep'::regnamespace
            ), base AS (
                SELECT * FROM class WHERE relkind IN ('r', 'p') AND NOT relispartition
            ), member AS (
                SELECT oid, rolname FROM pg_roles WHERE rolname IN ('istep_machine', 'istep_reader')
                UNION SELECT m.member, member.rolname FROM member JOIN pg_auth_members AS m ON m.roleid = member.oid
                -- Whoever creates a role is a member of it without its rights (PostgreSQL 16).
                WHERE coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true)
                    OR coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
            ), machine AS (
                SELECT r.* FROM pg_roles AS r JOIN member ON member.oid = r.oid AND member.rolname = 'istep_machine'
                WHERE rolcanlogin AND has_database_privilege(r.oid, current_database(), 'CONNECT')
            ), thing AS (
                SELECT format(CASE relkind WHEN 'S' THEN 'SEQUENCE istep.%I' ELSE 'istep.%I' END, relname) AS thing,
                    relowner AS owner, coalesce(relacl, acldefault((CASE relkind WHEN 'S' THEN 's' ELSE 'r' END)::"char", relowner)) AS acl
                FROM class WHERE relkind IN ('r', 'p', 'v', 'm', 'S')
                UNION ALL SELECT format('FUNCTION istep.%I(%s)', proname, pg_get_function_identity_arguments(oid)), proowner,
                    coalesce(proacl, acldefault('f', proowner)) FROM pg_proc WHERE pronamespace = 'istep'::regnamespace
                UNION ALL SELECT 'SCHEMA istep', nspowner, nspacl FROM pg_namespace WHERE nspname = 'istep'
            ), right_of AS (
                SELECT thing, owner, a.grantee, a.privilege_type AS verb FROM thing, aclexplode(acl) AS a
                UNION ALL SELECT format('istep.%I', relname), relowner, a.grantee, format('%s (%I)', a.privilege_type, attname)
                FROM class JOIN pg_attribute ON attrelid = class.oid, aclexplode(attacl) AS a
            )
            \(parts.joined(separator: "\nUNION ALL\n"))
            """
    }

    private static func selection(of kind: PostgresFact.Kind) -> String {
        switch kind {
        case .role: "SELECT rolname, '', '', '' FROM pg_roles WHERE rolname IN ('istep_machine', 'istep_reader')"
        case .table:
            """
            SELECT relname, '', CASE relkind WHEN 'p' THEN 'partitioned' ELSE 'plain' END
                || CASE relpersistence WHEN 'p' THEN '' ELSE ', unlogged' END, '' FROM base
            """
        case .column:
            """
            SELECT relname, attname, format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
                || CASE WHEN atthasdef OR attidentity <> '' THEN ' DEFAULT' ELSE '' END,
                format('ALTER TABLE istep.%I DROP COLUMN %I', relname, attname)
            FROM base JOIN pg_attribute ON attrelid = base.oid AND attnum > 0 AND NOT attisdropped
            """
        case .constraint:
            """
            SELECT relname, conname, CASE WHEN contype <> 'c' THEN pg_get_constraintdef(c.oid)
                WHEN convalidated THEN 'CHECK' ELSE 'CHECK NOT VALID' END,
                format('ALTER TABLE istep.%I DROP CONSTRAINT %I', relname, conname)
            FROM base JOIN pg_constraint AS c ON conrelid = base.oid WHERE contype IN ('c', 'f', 'p', 'u', 'x')
            """
        case .index:
            """
            SELECT base.relname, c.relname, CASE WHEN indisunique THEN 'UNIQUE ' ELSE '' END
                || substring(pg_get_indexdef(indexrelid) FROM ' USING (.*)$') || CASE WHEN indisvalid THEN '' ELSE ', not valid' END,
                format('DROP INDEX istep.%I', c.relname)
            FROM base JOIN pg_index ON indrelid = base.oid JOIN pg_class AS c ON c.oid = indexrelid
            WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
            """
        case .sequence:
            """
            SELECT relname, '', format('%s, by %s', format_type(seqtypid, NULL), seqincrement)
                || CASE WHEN seqcycle THEN ', begins again' ELSE '' END, ''
            FROM class JOIN pg_sequence ON seqrelid = class.oid
            """
        case .function:
            """
            SELECT proname, pg_get_function_identity_arguments(oid),
                concat_ws(E'\\u0001', prosecdef, coalesce(array_to_string(proconfig, E'\\u0002'), ''), prosrc),
                format('DROP FUNCTION istep.%I(%s)', proname, pg_get_function_identity_arguments(oid))
            FROM pg_proc WHERE pronamespace = 'istep'::regnamespace
            """
        case .view:
            "SELECT relname, '', coalesce(array_to_string(reloptions, ', '), ''), '' FROM class WHERE relkind = 'v'"
        case .security: "SELECT relname, '', '', '' FROM class WHERE relrowsecurity"
        case .policy:
            """
            SELECT relname, polname, concat_ws(' ',
                CASE polcmd WHEN 'r' THEN 'SELECT' WHEN '*' THEN 'ALL' ELSE polcmd::text END, CASE WHEN polpermissive THEN NULL ELSE 'RESTRICTIVE' END,
                'TO', (SELECT string_agg(coalesce(rolname, 'PUBLIC'), ',' ORDER BY rolname)
                    FROM unnest(polroles) AS r LEFT JOIN pg_roles ON pg_roles.oid = r),
                'USING', pg_get_expr(polqual, polrelid), 'CHECK ' || pg_get_expr(polwithcheck, polrelid)),
                format('DROP POLICY %I ON istep.%I', polname, relname)
            FROM class JOIN pg_policy ON polrelid = class.oid
            """
        case .grant:
            """
            SELECT thing, coalesce(rolname, 'PUBLIC'), string_agg(DISTINCT verb, ', ' ORDER BY verb), quote_ident(rolname)
            FROM right_of LEFT JOIN pg_roles ON pg_roles.oid = grantee
            WHERE grantee <> owner AND (grantee = 0 OR grantee IN (SELECT oid FROM member)) GROUP BY thing, rolname
            """
        case .trigger:
            """
            SELECT relname, tgname, '', format('DROP TRIGGER %I ON istep.%I', tgname, relname)
            FROM class JOIN pg_trigger ON tgrelid = class.oid WHERE NOT tgisinternal AND tgparentid = 0
            """
        case .rule:
            """
            SELECT relname, rulename, '', format('DROP RULE %I ON istep.%I', rulename, relname)
            FROM class JOIN pg_rewrite ON ev_class = class.oid WHERE rulename <> '_RETURN'
            """
        case .detached:
            """
            SELECT relname, '', '', format('ALTER TABLE istep.sample ATTACH PARTITION istep.%I FOR VALUES FROM (%L) TO (%L)',
                relname, month || ' 00:00:00+00', (month + interval '1 month')::date || ' 00:00:00+00')
            FROM base, LATERAL (SELECT CASE WHEN relname ~ '^sample_[1-9][0-9]{3}_(0[1-9]|1[0-2])$'
                THEN to_date(substr(relname, 8), 'YYYY_MM') END AS month) AS x WHERE month IS NOT NULL
            """
        case .privileged:
            """
            SELECT rolname, right_name, '', format('ALTER ROLE %I NO%s', rolname, right_name)
            FROM machine, LATERAL (VALUES ('SUPERUSER', rolsuper), ('BYPASSRLS', rolbypassrls), ('CREATEROLE', rolcreaterole)) AS x (right_name, is_given)
            WHERE is_given
            UNION ALL SELECT m.rolname, r.rolname, '', format('REVOKE %I FROM %I', r.rolname, m.rolname)
            FROM machine AS m, pg_roles AS r
            WHERE r.rolname IN ('pg_read_all_data', 'pg_write_all_data') AND NOT m.rolsuper AND pg_has_role(m.oid, r.oid, 'MEMBER')
            """
        case .owner:
            """
            SELECT coalesce(min(thing) FILTER (WHERE thing LIKE 'istep.%'), min(thing)), m.rolname, '',
                CASE WHEN bool_or(m.oid = owner) THEN format('REASSIGN OWNED BY %I TO …', m.rolname)
                    ELSE format('REVOKE %I FROM %I', min(o.rolname), m.rolname) END
            FROM machine AS m JOIN thing ON NOT m.rolsuper AND pg_has_role(m.oid, owner, 'MEMBER')
            JOIN pg_roles AS o ON o.oid = owner GROUP BY m.rolname
            """
        }
    }
}
