CREATE TABLE public.rr_ledger (
    version integer NOT NULL
);
CREATE TABLE public.rr_release (
    id integer NOT NULL,
    population character varying(500) NOT NULL,
    date character varying(10) NOT NULL,
    levels text NOT NULL,
    total character varying(20) NOT NULL,
    sha256 character varying(64) NOT NULL,
    people bigint,
    same_draw integer NOT NULL,
    note character varying(500) NOT NULL
);
CREATE SEQUENCE public.rr_release_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.rr_release_id_seq OWNED BY public.rr_release.id;
ALTER TABLE ONLY public.rr_release ALTER COLUMN id SET DEFAULT nextval('public.rr_release_id_seq'::regclass);
INSERT INTO public.rr_ledger VALUES (1);
INSERT INTO public.rr_release VALUES (1, 'Panel 2026, Köln', '2026-01-31', '[["smokes, daily?", "1.000000000"], ["=Einkommen", "2.500000000"], ["\u0438\u043c\u0435\u0435\u0442 \u00ab\u043f\u0440\u0438\u0437\u043d\u0430\u043a\u00bb", "0.100000000"]]', '3.600000000', '8877c41af922b80be8e7f15428bf25b080686733037a3d5fb91d307ea013243b', 12345, 0, '=note, "first"');
INSERT INTO public.rr_release VALUES (2, '=Панель', '2026-02-28', '[["smokes, daily?", "2.906693527"], ["=Einkommen", "2.079441542"], ["\u0438\u043c\u0435\u0435\u0442 \u00ab\u043f\u0440\u0438\u0437\u043d\u0430\u043a\u00bb", "1.428738656"], ["2020 \"x\"", "1.901604298"]]', '7.426562889', 'f62c31c2d11e8215521c1fc125a3ede897f10922978ed30eb1efe7295ebe519e', 9999999999, 0, '');
INSERT INTO public.rr_release VALUES (3, 'Panel 2026, Köln', '2026-03-01', '[["smokes, daily?", "1.000000000"], ["=Einkommen", "2.500000000"], ["\u0438\u043c\u0435\u0435\u0442 \u00ab\u043f\u0440\u0438\u0437\u043d\u0430\u043a\u00bb", "0.100000000"]]', '3.217577061', '36f45dc812b5157b04af36a628174083c5032cf17103ae9e206eee1c6758ac09', NULL, 0, '');
INSERT INTO public.rr_release VALUES (4, 'Panel 2026, Köln', '2026-04-01', '[["smokes, daily?", "1.000000000"], ["=Einkommen", "2.500000000"], ["\u0438\u043c\u0435\u0435\u0442 \u00ab\u043f\u0440\u0438\u0437\u043d\u0430\u043a\u00bb", "0.100000000"]]', '3.600000000', '8877c41af922b80be8e7f15428bf25b080686733037a3d5fb91d307ea013243b', NULL, 1, 'given out again');
INSERT INTO public.rr_release VALUES (5, '=Панель', '2025-12-24', '[["Warner, direct", "1.098612289"], ["=forced", "1.609437913"], ["unrelated \"q\"", "2.197224578"], ["k-ary", "1.098612289"], ["matrix", "unbounded"]]', 'unbounded', '1c65fe995f56d8cf7bf12caf9c0dec95479d2943aebf74eb0cedeab3ae8557ed', NULL, 0, '');
SELECT pg_catalog.setval('public.rr_release_id_seq', 5, true);
ALTER TABLE ONLY public.rr_ledger
    ADD CONSTRAINT rr_ledger_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.rr_release
    ADD CONSTRAINT rr_release_pkey PRIMARY KEY (id);
