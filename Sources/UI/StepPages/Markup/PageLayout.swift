extension StyleSheet {
    /// The style of pages, without that of the charts.
    static let layout = """
        * { box-sizing: border-box; }
        body {
            margin: 0;
            background: var(--page);
            color: var(--text);
            font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif;
        }
        a { color: var(--link); }
        a:focus-visible,
        button:focus-visible,
        input:focus-visible,
        select:focus-visible,
        summary:focus-visible {
            outline: 3px solid var(--link);
            outline-offset: 2px;
        }
        .skip {
            position: absolute;
            left: -999px;
        }
        .skip:focus { position: static; }
        .definitions {
            position: absolute;
            width: 0;
            height: 0;
        }
        header.site {
            background: var(--card);
            border-bottom: 1px solid var(--line);
        }
        header.site nav, main, footer.site {
            max-width: 62rem;
            margin: 0 auto;
            padding: 0.6rem 1rem;
        }
        header.site nav {
            display: flex;
            flex-wrap: wrap;
            gap: 0.3rem 1.1rem;
            align-items: center;
        }
        header.site a {
            text-decoration: none;
            padding: 0.25rem 0;
        }
        header.site a[aria-current] {
            color: var(--text);
            font-weight: 600;
            border-bottom: 3px solid var(--walking);
        }
        header.site .name {
            font-weight: 700;
            color: var(--text);
            margin-right: 0.6rem;
        }
        header.site form { margin-left: auto; }
        footer.site {
            color: var(--faint);
            font-size: 0.85rem;
            padding-bottom: 2rem;
        }
        h1 {
            font-size: 1.6rem;
            line-height: 1.25;
            margin: 0.6rem 0;
        }
        h2 {
            font-size: 1.15rem;
            margin: 0 0 0.5rem;
        }
        h3 {
            font-size: 1rem;
            margin: 1rem 0 0.3rem;
        }
        section, figure {
            background: var(--card);
            border: 1px solid var(--line);
            border-radius: 10px;
            padding: 1rem;
            margin: 0 0 1rem;
        }
        figure > figcaption {
            font-weight: 600;
            margin-bottom: 0.4rem;
        }
        figure svg {
            display: block;
            width: 100%;
            height: auto;
        }
        .scroll { overflow-x: auto; }
        .scroll svg { min-width: 34rem; }
        .turn {
            display: flex;
            flex-wrap: wrap;
            gap: 0.6rem;
            align-items: center;
            margin: 0.3rem 0 1rem;
        }
        .turn a, .turn > span {
            padding: 0.3rem 0.7rem;
            border: 1px solid var(--line);
            border-radius: 8px;
            background: var(--card);
            text-decoration: none;
        }
        .turn > span { color: var(--faint); }
        .turn form { margin-left: auto; }
        section > form { margin-top: 0.8rem; }
        form.line, .turn form, header.site form {
            display: flex;
            flex-wrap: wrap;
            gap: 0.4rem;
            align-items: center;
        }
        .tiles {
            display: grid;
            grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
            gap: 0.7rem;
            margin: 0 0 1rem;
            padding: 0;
            list-style: none;
        }
        .tiles li {
            background: var(--card);
            border: 1px solid var(--line);
            border-radius: 10px;
            padding: 0.7rem 0.9rem;
        }
        .tiles span {
            display: block;
            color: var(--faint);
            font-size: 0.85rem;
        }
        .tiles strong {
            display: block;
            font-size: 1.35rem;
            font-weight: 650;
            font-variant-numeric: tabular-nums;
            line-height: 1.3;
        }
        .tiles small {
            display: block;
            font-size: 0.8rem;
            color: var(--faint);
        }
        table {
            border-collapse: collapse;
            font-variant-numeric: tabular-nums;
        }
        caption {
            text-align: left;
            color: var(--faint);
            font-size: 0.85rem;
            padding: 0.3rem 0;
        }
        .wide { overflow-x: auto; }
        th, td {
            text-align: right;
            padding: 0.2rem 0.6rem;
            border-bottom: 1px solid var(--line);
            white-space: nowrap;
        }
        th:first-child, td:first-child, th.words, td.words { text-align: left; }
        td.words { white-space: normal; }
        details { margin-top: 0.6rem; }
        summary {
            cursor: pointer;
            color: var(--link);
            overflow-wrap: anywhere;
        }
        .legend {
            display: flex;
            flex-wrap: wrap;
            gap: 0.2rem 1.1rem;
            margin: 0.4rem 0 0;
            padding: 0;
            list-style: none;
            color: var(--faint);
            font-size: 0.85rem;
        }
        .legend svg {
            display: inline-block;
            width: 1rem;
            height: 0.8rem;
            margin-right: 0.35rem;
            vertical-align: baseline;
        }
        label { display: block; }
        .fields {
            display: grid;
            grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
            gap: 0.8rem;
            border: 0;
            padding: 0;
            margin: 0 0 0.8rem;
        }
        .fields legend {
            font-weight: 600;
            padding: 0 0 0.4rem;
        }
        input, select, button {
            font: inherit;
            color: inherit;
            background: var(--card);
            border: 1px solid var(--faint);
            border-radius: 7px;
            padding: 0.3rem 0.6rem;
            max-width: 100%;
        }
        .fields input, .fields select { width: 100%; }
        button {
            background: var(--button);
            border-color: var(--button);
            color: var(--on-button);
            cursor: pointer;
            font-weight: 600;
        }
        button.quiet {
            background: var(--card);
            color: var(--link);
            border-color: var(--line);
            font-weight: 400;
        }
        td form {
            display: inline-flex;
            gap: 0.3rem;
            margin: 0 0.2rem;
        }
        input[aria-invalid] { border: 2px solid var(--bad); }
        .error {
            color: var(--bad);
            font-size: 0.9rem;
            margin: 0.2rem 0 0;
        }
        .notice { border-left: 5px solid var(--doubtful); }
        .notice.good { border-left-color: var(--good); }
        .notice.bad { border-left-color: var(--bad); }
        .notice p { margin: 0.2rem 0; }
        .doubtful { color: var(--doubtful); }
        .bad { color: var(--bad); }
        .good { color: var(--good); }
        .faint { color: var(--faint); }
        pre {
            white-space: pre-wrap;
            overflow-wrap: anywhere;
            margin: 0.4rem 0;
        }
        code { overflow-wrap: anywhere; }
        progress {
            width: 100%;
            accent-color: var(--walking);
        }
        @media (max-width: 34rem) {
            h1 { font-size: 1.3rem; }
            main, header.site nav, footer.site { padding: 0.5rem 0.6rem; }
            section, figure { padding: 0.7rem; }
            .turn form, header.site form { margin-left: 0; }
            .tiles { grid-template-columns: 1fr 1fr; }
        }
        @media print {
            header.site, .turn, form, button, .skip { display: none !important; }
            body {
                background: #fff;
                font-size: 11pt;
            }
            section, figure, .tiles li {
                break-inside: avoid;
                border-color: #bbb;
            }
            a {
                color: inherit;
                text-decoration: none;
            }
            * {
                -webkit-print-color-adjust: exact;
                print-color-adjust: exact;
            }
            details::details-content {
                content-visibility: visible;
                block-size: auto;
            }
            .scroll, .wide { overflow: visible; }
        }

        """
}
