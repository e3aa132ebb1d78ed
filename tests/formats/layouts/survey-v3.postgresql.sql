CREATE TABLE public.rr_act (
    id integer NOT NULL,
    at character varying(20) NOT NULL,
    who character varying(320) NOT NULL,
    act character varying(40) NOT NULL,
    entry integer,
    why character varying(500) NOT NULL
);
CREATE SEQUENCE public.rr_act_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.rr_act_id_seq OWNED BY public.rr_act.id;
CREATE TABLE public.rr_answer (
    place integer NOT NULL,
    day character varying(10) NOT NULL,
    record text NOT NULL
);
CREATE TABLE public.rr_closing_key (
    hash bytea NOT NULL
);
CREATE TABLE public.rr_code (
    hash bytea NOT NULL,
    used_for bytea
);
CREATE TABLE public.rr_opened (
    day character varying(10) NOT NULL,
    forms integer NOT NULL
);
CREATE TABLE public.rr_paused (
    day character varying(10) NOT NULL
);
CREATE TABLE public.rr_receipt (
    hash bytea NOT NULL
);
CREATE TABLE public.rr_served (
    run character varying(32) NOT NULL,
    terms text NOT NULL,
    stop integer NOT NULL
);
CREATE TABLE public.rr_state (
    answers integer NOT NULL,
    closed character varying(10)
);
CREATE TABLE public.rr_survey (
    version integer NOT NULL,
    mechanism text NOT NULL,
    texts text NOT NULL,
    key text
);
ALTER TABLE ONLY public.rr_act ALTER COLUMN id SET DEFAULT nextval('public.rr_act_id_seq'::regclass);
INSERT INTO public.rr_act VALUES (1, '2026-11-24T14:58:13Z', 'ada', 'created', NULL, '');
INSERT INTO public.rr_act VALUES (2, '2026-11-24T18:19:29Z', 'ada', 'layout changed', NULL, 'version 2 to 3');
INSERT INTO public.rr_act VALUES (3, '2026-11-24T18:19:29Z', 'ada', 'paused', NULL, '');
INSERT INTO public.rr_act VALUES (4, '2026-11-24T18:19:29Z', 'ada', 'resumed', NULL, '');
INSERT INTO public.rr_answer VALUES (2, '2026-03-01', '1 0 1 2');
INSERT INTO public.rr_answer VALUES (3, '2026-03-01', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (8, '2026-03-01', '3 0 1 2');
INSERT INTO public.rr_answer VALUES (9, '2026-03-01', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (10, '2026-03-01', '3 1 1 0');
INSERT INTO public.rr_answer VALUES (11, '2026-03-01', '2 1 0 0');
INSERT INTO public.rr_answer VALUES (14, '2026-03-01', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (17, '2026-03-01', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (18, '2026-03-01', '2 2 0 1');
INSERT INTO public.rr_answer VALUES (19, '2026-03-01', '3 1 1 0');
INSERT INTO public.rr_answer VALUES (20, '2026-03-01', '3 0 1 2');
INSERT INTO public.rr_answer VALUES (22, '2026-03-01', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (23, '2026-03-01', '0 0 0 2');
INSERT INTO public.rr_answer VALUES (24, '2026-03-01', '1 0 1 2');
INSERT INTO public.rr_answer VALUES (25, '2026-03-01', '0 2 0 1');
INSERT INTO public.rr_answer VALUES (1, '2026-03-02', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (4, '2026-03-02', '2 1 0 0');
INSERT INTO public.rr_answer VALUES (5, '2026-03-02', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (6, '2026-03-02', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (7, '2026-03-02', '0 0 0 2');
INSERT INTO public.rr_answer VALUES (12, '2026-03-02', '1 2 1 1');
INSERT INTO public.rr_answer VALUES (13, '2026-03-02', '0 2 0 1');
INSERT INTO public.rr_answer VALUES (15, '2026-03-02', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (16, '2026-03-02', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (21, '2026-03-02', '1 0 1 2');
INSERT INTO public.rr_answer VALUES (26, '2026-03-02', '3 0 1 2');
INSERT INTO public.rr_answer VALUES (27, '2026-03-02', '2 2 0 1');
INSERT INTO public.rr_answer VALUES (28, '2026-03-02', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (29, '2026-03-01', '2 2 0 1');
INSERT INTO public.rr_answer VALUES (30, '2026-03-01', '1 2 1 1');
INSERT INTO public.rr_answer VALUES (31, '2026-03-01', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (32, '2026-03-01', '2 1 0 0');
INSERT INTO public.rr_answer VALUES (33, '2026-03-01', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (34, '2026-03-01', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (35, '2026-03-01', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (36, '2026-03-01', '0 0 0 2');
INSERT INTO public.rr_answer VALUES (37, '2026-03-02', '3 1 1 0');
INSERT INTO public.rr_answer VALUES (38, '2026-03-02', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (39, '2026-03-01', '1 2 1 1');
INSERT INTO public.rr_answer VALUES (40, '2026-03-01', '0 2 0 1');
INSERT INTO public.rr_closing_key VALUES ('\x6648b047d0c919fa1630593f7a0f08385d06ecbf8187908b24ce509854cbf1eb');
INSERT INTO public.rr_opened VALUES ('2026-03-01', 28);
INSERT INTO public.rr_opened VALUES ('2026-03-02', 18);
INSERT INTO public.rr_receipt VALUES ('\x1f13c634ab2d2517c4280750ed5dc456c3b3690d3e81da8fcc4900df07f4761c');
INSERT INTO public.rr_receipt VALUES ('\x2eb61334e94fc26ed4279eef57f3795a78f9d1bbd3263ee78fd55ff025a44cc8');
INSERT INTO public.rr_receipt VALUES ('\x3f9b0014f30cdd1762880e43a5a8c954df4a5c5197ef2a775e5403b24864847d');
INSERT INTO public.rr_receipt VALUES ('\x3fe0d165d11b1fae0fdc3288a7949da777ce2e55a692a380bf544c5760b460f6');
INSERT INTO public.rr_receipt VALUES ('\x5051e3dfb20ff4444570075c4d8da6e8cedbd2794c683318c3de20a0ff5f124a');
INSERT INTO public.rr_receipt VALUES ('\x636241ac15a31e34478b089491431be2b1cb73c2bf14771d1cf5ddf3ce7f8ca5');
INSERT INTO public.rr_receipt VALUES ('\x638c9b7fb45c25b6d5371b191037f29453d40d22f0ef63189b29e2d7dff09b5c');
INSERT INTO public.rr_receipt VALUES ('\x684381c83b33caab88f1f7b5b9102bf14bfc59b26acfd6aaa097b19343fbde3e');
INSERT INTO public.rr_receipt VALUES ('\x7923b548b5f9d0ab3a6ae079b031bb1a19894c3f2a3296a8e290c710b3a03f50');
INSERT INTO public.rr_receipt VALUES ('\x7abca51230b5da205ad4be00284e74913783284b0fd03d502382620182868788');
INSERT INTO public.rr_receipt VALUES ('\x7f278655d62c9df77d2772dacf6d230e200556797a6a27dc2d4c768f675f52f6');
INSERT INTO public.rr_receipt VALUES ('\x8cb5dd41510ee6c986f1cf252b11c589dc422e729f4939c826e27b9b2828b224');
INSERT INTO public.rr_receipt VALUES ('\x8e55d75cef45a3488ed1b04d5b7842ad10da3f2154f3d1405de2950512463b32');
INSERT INTO public.rr_receipt VALUES ('\x90752404cb774994f11f0d7f7d9fb3e4c3dead0c9273f0d7fb41aac7019a8b1a');
INSERT INTO public.rr_receipt VALUES ('\x97100ad99ade8eb6fd19200fa89c068208ed6c49b5b531ac378a4e2eb0381af2');
INSERT INTO public.rr_receipt VALUES ('\x9ae2e604173a9754227ee89d4c61212c0c40e0b6c7c8d0e09cf8e7a2083b51ac');
INSERT INTO public.rr_receipt VALUES ('\x9e3858e90b1044832741a8b925845ec998c3c908ce2206a3d92a48c3a0e96815');
INSERT INTO public.rr_receipt VALUES ('\xa748a6ced6775cae178ad2b22680e03019ddac7e4bb799f4511baf0a5a74b637');
INSERT INTO public.rr_receipt VALUES ('\xa94ea1284df979d1b81872afa77ecd08a7c8f00e28bc5286e39233742a585621');
INSERT INTO public.rr_receipt VALUES ('\xb0287aef59e4c87dad34d15e4c3aee1813405473fb5cb23c33b9752d1f906721');
INSERT INTO public.rr_receipt VALUES ('\xc65e69b7e792072f9b72e822e4474b3adb427260225e48c049292646f40a7b2b');
INSERT INTO public.rr_receipt VALUES ('\xdf1990649612d05db225e465afd6875a19d79a5ea8af328d506d2347625b16aa');
INSERT INTO public.rr_receipt VALUES ('\xe4b9fc57fee984fa1554c784bedeac018e8668cac54ac2361720ea2f22cfaafe');
INSERT INTO public.rr_receipt VALUES ('\xe939b4e556762d32190f989cba79a8f4b337a1bf57b61887fc05787b0b5ccd88');
INSERT INTO public.rr_receipt VALUES ('\xe9e9c57322676530e88459582eb621281b3bd1108fa843c4b9aa3f0f5ab2183d');
INSERT INTO public.rr_receipt VALUES ('\x53e7f686195c39df57588192900c6659f3c2bd712f83c4bb8085267ae7b9400e');
INSERT INTO public.rr_receipt VALUES ('\x59f209eba0a962eac6b8b25ae5f79b207b956b2d1bd5e30264590a78f62452fd');
INSERT INTO public.rr_receipt VALUES ('\x5e97eda2ff1f7aacab2eb280bc509ffd1d5ff65b24c753b1920ed52891cf35e7');
INSERT INTO public.rr_receipt VALUES ('\x83f79c9d07259060b0dd6b04a4d25af77a7c23dad7910ca085036d7d9c773fff');
INSERT INTO public.rr_receipt VALUES ('\x8f32eee372e3b15f9c74c711b3d4de39ac9bd51b4bc2407ed2e36e15d42a942e');
INSERT INTO public.rr_receipt VALUES ('\x99504ca4e290345d1fc111c76062218b830d77e2dcb28d79bf1d505251bb3d79');
INSERT INTO public.rr_receipt VALUES ('\xa1ffeedead2ec46312c80dc95a7ca7c6e1e536ffdd3c30b46b19579100c5ef28');
INSERT INTO public.rr_receipt VALUES ('\xa518786fc0523d68a02e0de3a8720fed7717d506848af30c6aa156e2917a6a27');
INSERT INTO public.rr_receipt VALUES ('\xa87c5b4b51b4e430c291793c04a652ec3c4783483d9291e40a4998b1027f1404');
INSERT INTO public.rr_receipt VALUES ('\xbf406be70574ea36abe5721c72263003a7bf018424b5b86ce0c6ea61b9bc4269');
INSERT INTO public.rr_receipt VALUES ('\xca8841b865e82199de4fbe0dafe3a40f573ff286923fde28540c07a9715a1d38');
INSERT INTO public.rr_receipt VALUES ('\xced65f2b1e8f4eee6a76a67ebb0cb062d680d9ca7189bd5564fd58ef7539f4ce');
INSERT INTO public.rr_receipt VALUES ('\xcfd5969e3812ee6b0d45518c1d9a397dca16589b0e60a9a15596232f4b97a57c');
INSERT INTO public.rr_receipt VALUES ('\xdebe3129ba17bd42384bb13ae1522839facb85114bf0580ad743183593462ba7');
INSERT INTO public.rr_receipt VALUES ('\xfb16b46cd5591e6615954689f1c5a492dc692e017d100aa1fe22243178a4695c');
INSERT INTO public.rr_state VALUES (40, NULL);
INSERT INTO public.rr_survey VALUES (3, '{
 "format": "rr-workbench mechanism",
 "version": 1,
 "made_by": "Büro für Statistik, \"A\"",
 "note": "",
 "attributes": [
  {
   "name": "smokes, daily?",
   "kind": "nominal",
   "categories": [
    "no",
    "yes, often",
    "=SUM(\"A1\")",
    "weiß nicht"
   ]
  },
  {
   "name": "=Einkommen",
   "kind": "ordinal",
   "categories": [
    "< 1 000 €",
    "''t weinig",
    "-5"
   ]
  },
  {
   "name": "имеет «признак»",
   "kind": "nominal",
   "categories": [
    "нет",
    "да 🙂"
   ]
  },
  {
   "name": "2020 \"x\"",
   "kind": "ordinal",
   "categories": [
    "+49, D",
    "0",
    "1"
   ]
  }
 ],
 "randomization": [
  {
   "attributes": [
    "имеет «признак»",
    "smokes, daily?"
   ],
   "uniform": "129",
   "lies": {
    "00": "500",
    "01": "1",
    "10": "70",
    "11": "1"
   }
  },
  {
   "attributes": [
    "=Einkommen"
   ],
   "matrix": [
    [
     "8",
     "1",
     "1"
    ],
    [
     "1",
     "7",
     "2"
    ],
    [
     "1",
     "1",
     "8"
    ]
   ]
  },
  {
   "attributes": [
    "2020 \"x\""
   ],
   "uniform": "1",
   "lies": {
    "0": "99",
    "1": "29"
   }
  }
 ],
 "claim": {
  "attributes": [
   {
    "attribute": "smokes, daily?",
    "level": {
     "ratio": "7227/395",
     "nats": "2.906693527"
    },
    "leakage": {
     "ratio": "12387/395",
     "nats": "3.445517050"
    }
   },
   {
    "attribute": "=Einkommen",
    "level": {
     "ratio": "8/1",
     "nats": "2.079441542"
    },
    "leakage": {
     "ratio": "8/1",
     "nats": "2.079441542"
    }
   },
   {
    "attribute": "имеет «признак»",
    "level": {
     "ratio": "1131/271",
     "nats": "1.428738656"
    },
    "leakage": {
     "ratio": "4129/689",
     "nats": "1.790549255"
    }
   },
   {
    "attribute": "2020 \"x\"",
    "level": {
     "ratio": "596/89",
     "nats": "1.901604298"
    },
    "leakage": {
     "ratio": "596/89",
     "nats": "1.901604298"
    }
   }
  ],
  "total": {
   "ratio": "59061216/35155",
   "nats": "7.426562889"
  }
 },
 "sha256": "f62c31c2d11e8215521c1fc125a3ede897f10922978ed30eb1efe7295ebe519e"
}', '{"title": "V\u00e9los, \"bikes\" & \u81ea\u8ee2\u8eca", "introduction": "Thank you for =your help.", "questions": {"smokes, daily?": "Why, if at all?"}, "language": "fr"}', NULL);
SELECT pg_catalog.setval('public.rr_act_id_seq', 4, true);
ALTER TABLE ONLY public.rr_act
    ADD CONSTRAINT rr_act_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rr_answer
    ADD CONSTRAINT rr_answer_pkey PRIMARY KEY (place);
ALTER TABLE ONLY public.rr_closing_key
    ADD CONSTRAINT rr_closing_key_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.rr_code
    ADD CONSTRAINT rr_code_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.rr_opened
    ADD CONSTRAINT rr_opened_pkey PRIMARY KEY (day);
ALTER TABLE ONLY public.rr_paused
    ADD CONSTRAINT rr_paused_pkey PRIMARY KEY (day);
ALTER TABLE ONLY public.rr_receipt
    ADD CONSTRAINT rr_receipt_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.rr_served
    ADD CONSTRAINT rr_served_pkey PRIMARY KEY (run);
ALTER TABLE ONLY public.rr_state
    ADD CONSTRAINT rr_state_pkey PRIMARY KEY (answers);
ALTER TABLE ONLY public.rr_survey
    ADD CONSTRAINT rr_survey_pkey PRIMARY KEY (version);
