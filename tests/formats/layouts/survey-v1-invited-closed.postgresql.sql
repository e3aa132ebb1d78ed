CREATE TABLE public.rr_answer (
    place integer NOT NULL,
    day character varying(10) NOT NULL,
    record text NOT NULL
);
CREATE TABLE public.rr_code (
    hash bytea NOT NULL,
    used_for bytea
);
CREATE TABLE public.rr_opened (
    day character varying(10) NOT NULL,
    forms integer NOT NULL
);
CREATE TABLE public.rr_receipt (
    hash bytea NOT NULL
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
INSERT INTO public.rr_answer VALUES (1, '2026-03-01', '0 2 0 1');
INSERT INTO public.rr_answer VALUES (2, '2026-03-01', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (3, '2026-03-02', '3 1 1 0');
INSERT INTO public.rr_answer VALUES (4, '2026-03-01', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (5, '2026-03-01', '1 0 1 2');
INSERT INTO public.rr_answer VALUES (6, '2026-03-01', '2 1 0 0');
INSERT INTO public.rr_answer VALUES (7, '2026-03-01', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (8, '2026-03-01', '3 0 1 2');
INSERT INTO public.rr_answer VALUES (9, '2026-03-02', '3 0 1 2');
INSERT INTO public.rr_answer VALUES (10, '2026-03-02', '1 2 1 1');
INSERT INTO public.rr_answer VALUES (11, '2026-03-01', '2 1 0 0');
INSERT INTO public.rr_answer VALUES (12, '2026-03-02', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (13, '2026-03-01', '0 0 0 2');
INSERT INTO public.rr_answer VALUES (14, '2026-03-02', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (15, '2026-03-02', '1 0 1 2');
INSERT INTO public.rr_answer VALUES (16, '2026-03-01', '2 2 0 1');
INSERT INTO public.rr_answer VALUES (17, '2026-03-02', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (18, '2026-03-01', '1 0 1 2');
INSERT INTO public.rr_answer VALUES (19, '2026-03-01', '2 2 0 1');
INSERT INTO public.rr_answer VALUES (20, '2026-03-01', '0 0 0 2');
INSERT INTO public.rr_answer VALUES (21, '2026-03-01', '3 0 1 2');
INSERT INTO public.rr_answer VALUES (22, '2026-03-02', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (23, '2026-03-02', '2 1 0 0');
INSERT INTO public.rr_answer VALUES (24, '2026-03-02', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (25, '2026-03-01', '1 2 1 1');
INSERT INTO public.rr_answer VALUES (26, '2026-03-02', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (27, '2026-03-02', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (28, '2026-03-01', '3 1 1 0');
INSERT INTO public.rr_answer VALUES (29, '2026-03-01', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (30, '2026-03-01', '0 2 0 1');
INSERT INTO public.rr_answer VALUES (31, '2026-03-01', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (32, '2026-03-02', '2 2 0 1');
INSERT INTO public.rr_answer VALUES (33, '2026-03-02', '0 0 0 2');
INSERT INTO public.rr_answer VALUES (34, '2026-03-01', '1 2 1 1');
INSERT INTO public.rr_answer VALUES (35, '2026-03-01', '2 0 0 2');
INSERT INTO public.rr_answer VALUES (36, '2026-03-01', '3 2 1 1');
INSERT INTO public.rr_answer VALUES (37, '2026-03-01', '1 1 1 0');
INSERT INTO public.rr_answer VALUES (38, '2026-03-01', '3 1 1 0');
INSERT INTO public.rr_answer VALUES (39, '2026-03-01', '0 1 0 0');
INSERT INTO public.rr_answer VALUES (40, '2026-03-02', '0 2 0 1');
INSERT INTO public.rr_code VALUES ('\x1a8dce46406048450a5298b249f14707dcc968cbfa1de8fa15282df8f043ef44', NULL);
INSERT INTO public.rr_code VALUES ('\x7bca2f21dbd813163b5efd529c71351c0f02dc20c8ca27d421f87f811f1b0b48', '\x85e62acd750c4eb56b7b6a1d66dca5bfaac5f062608a1a893410d0288936c09a');
INSERT INTO public.rr_code VALUES ('\x9979c9440951c59d5552c6f39ee5bae1139278fb5552896c8e1b8172161bdd45', NULL);
INSERT INTO public.rr_code VALUES ('\xe3bd0c7852bcf7670728fa6328dab963151507182e01e3ea6f17f34eb7b1ff09', NULL);
INSERT INTO public.rr_code VALUES ('\xeeea290fb3be19a953ae3ceae799ff4c56540ff05a10c6bdf078239c90293f7b', NULL);
INSERT INTO public.rr_opened VALUES ('2026-03-01', 31);
INSERT INTO public.rr_opened VALUES ('2026-03-02', 14);
INSERT INTO public.rr_receipt VALUES ('\x028b59a64698826735de4be46e4507adadcea6b9de51d84b1cbe18a8328c95d6');
INSERT INTO public.rr_receipt VALUES ('\x0305a86de041e9a5047880429e64e202e7d63275b9dc91878f9261557889945a');
INSERT INTO public.rr_receipt VALUES ('\x03dd213961733eda09dad38f65c41f0289070b6fcc33607488fe71184886ef09');
INSERT INTO public.rr_receipt VALUES ('\x04c25b7bb5c275e536a021c431f82a5442a0dbbf1c933fff1e1d0aa681019c50');
INSERT INTO public.rr_receipt VALUES ('\x093c364879b5bddd536c45609fb0f58c35962bdf9b0a11754abd31103225f767');
INSERT INTO public.rr_receipt VALUES ('\x0d8e4988e3e8b38374cab2bf96ae33077a78fabd44e29128fe356f6fad9c897b');
INSERT INTO public.rr_receipt VALUES ('\x12db0d23cfa5d897b79d495f1a3447ecc9e8166b56cfaa263b1861d36a787b9c');
INSERT INTO public.rr_receipt VALUES ('\x1962239c189e1cea9b52d27fdca0cf7aaa547a6813d883d619dbcb195d548bca');
INSERT INTO public.rr_receipt VALUES ('\x2ac09e38843df22a6e15966d4301387e99e14ee6b905a32e81c6182f693e5183');
INSERT INTO public.rr_receipt VALUES ('\x2efad6cd531feba8065d55ebf29a94bf292ae910f9258d2a10d252d79976b9dd');
INSERT INTO public.rr_receipt VALUES ('\x2ff37b534631f53c5ed01216b1527f2af8bb817e1d70ea919a2862b3504d097d');
INSERT INTO public.rr_receipt VALUES ('\x31f15fcb82664bb030864e58cddb5ef6d5408abc166728f74b3a1371a70ad88c');
INSERT INTO public.rr_receipt VALUES ('\x3d35d392fc9267d7b066664983b30b5a309f4babc1c52999695e2830523f1d9a');
INSERT INTO public.rr_receipt VALUES ('\x3fbe464e596f7c728d5b629235532d46959276982341119fb94690336e64984c');
INSERT INTO public.rr_receipt VALUES ('\x4826510bbb5b73e1fb5ee300efd773808952cec52619b3b549bf63a54e61834f');
INSERT INTO public.rr_receipt VALUES ('\x5302c2b45140b5b1d05808b5b323894e9eddca71be42e2608766ffc02b1e8c88');
INSERT INTO public.rr_receipt VALUES ('\x5302e96f04fc916cccc195de89f51be4d51d8a80a80041979f479a6235c03a59');
INSERT INTO public.rr_receipt VALUES ('\x59cf91bc93ab12b531f87828b1679b363f2d9d30327b8d6c723d4a03b56f78c9');
INSERT INTO public.rr_receipt VALUES ('\x6986e9ddad848a21e78d238d9a61d962a58d074d2c0f0358f30db77a25ec7638');
INSERT INTO public.rr_receipt VALUES ('\x6fc4739b775aae9d105abe9168d9b9e2f77129e7c5c1d155d5caa4555f16134f');
INSERT INTO public.rr_receipt VALUES ('\x73186a80c77f2eee12c4da40fa8e7b82ba5141d5938c70f59e73172dda579ed0');
INSERT INTO public.rr_receipt VALUES ('\x7fb631bd403e49a8378edbf604ed5f64bac160908e6c12930ef8bcc2fdfdbc0f');
INSERT INTO public.rr_receipt VALUES ('\x896a195d6ebb267bc8fde8b624d04508cd3bd0d076c4cfeb5f0c489f6aafb5fa');
INSERT INTO public.rr_receipt VALUES ('\x9471ae14aaaaaba5097a89b1074de1d65430423c45b7228f84ca2c3ccc841d00');
INSERT INTO public.rr_receipt VALUES ('\x948d355b2434457c814991a0b0b38067560d08d7861d5575928f9d321ff4287e');
INSERT INTO public.rr_receipt VALUES ('\x9ba82405b1463531181eec0b03058ad4941aea85a7fc61c99dd8f31271b6d7c1');
INSERT INTO public.rr_receipt VALUES ('\x9f6a4f9e4b2b0a566f10653d680fcb7846adf0f4f1fc30639c2d493dc0d8dbba');
INSERT INTO public.rr_receipt VALUES ('\xa85720ce34af154d8d59ee4a93690154546c2d77fb776dda9fd441bab07e5c30');
INSERT INTO public.rr_receipt VALUES ('\xb2c9f46ef678b7ea067f1418a24587353979f0e5281cb5ab1c8280169e93f6c7');
INSERT INTO public.rr_receipt VALUES ('\xbf08d0dfebd5973a532e5b3f9ea322d84bac05d09c360dcbd0f999de8434cbf2');
INSERT INTO public.rr_receipt VALUES ('\xce7f0e463c671276fd72453bdc9def178f80da872c1e4ac25ffab17dd8dc3d41');
INSERT INTO public.rr_receipt VALUES ('\xd747dc5785f4ff346bafe2ebec4344ad2c41668d2e27601e52e344eeeed5541f');
INSERT INTO public.rr_receipt VALUES ('\xd892cc67a932ce2523e648408129c8d00ffb6edfdd883b872b00a2bf36f3f635');
INSERT INTO public.rr_receipt VALUES ('\xda5696bdae5d713ea3c2a683c831ff1aab7e967723471cf4ee51d2fd94228242');
INSERT INTO public.rr_receipt VALUES ('\xdcbeebad837d7c230b821c9084104e8a375067bd229e2ebbd01141ca96c0d1e7');
INSERT INTO public.rr_receipt VALUES ('\xdea81469328bf547f7f56fa14d88773f16de2666a11a7a8bbadc0e001b909271');
INSERT INTO public.rr_receipt VALUES ('\xe353dd761ad0e44fc8b69dc583ec3254df95af42cac052dfc99ae5d8a371105f');
INSERT INTO public.rr_receipt VALUES ('\xedeaab79bef9cef5edde5fe41053ada9c85e3d97b49ab6aa82d9081a16123902');
INSERT INTO public.rr_receipt VALUES ('\xf05b1dcbb23eb6e6eb53a463d5aea14071899ffa11e00509b75a83dea4184c73');
INSERT INTO public.rr_receipt VALUES ('\xfc2f534f0461da8f23c69183673ab6ae1f16e1193d38f42780113eff66e1b2c8');
INSERT INTO public.rr_state VALUES (40, '2026-03-03');
INSERT INTO public.rr_survey VALUES (1, '{
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
}', '{"title": "V\u00e9los, \"bikes\" & \u81ea\u8ee2\u8eca", "introduction": "Thank you for =your help.", "questions": {"smokes, daily?": "Why, if at all?"}, "language": "fr"}', '-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCob4Pg1hOFXE3O
Vr16VFmv2g7F9+OCLMPrDUz6qOBcEq0F4/nhcK3txj0TEihW+VLQjAiXS+fVLq+I
wwVaH7eZd0gnIuf4qq+y6759Gs1jADZ9Po69lvvIPBPOUipVPwhZEwZs6L3iwLVt
qNoBtRhdMA0NX8Z5Kj6MnLVV7/a+mjbPXdtppDJbGlnfDYkfm7OtAftFXrmHLfHU
CeOU537PdDaCnZti0giUgrsff493ZgLs5ESR9yoGmMU4TpTA8pEnyTGUJqmAtT3v
0e1kKiusyt1AtjSHIGkVf8KVhxkaVZ0VWUETYXuT2XsaoKXPQk1QrZnvraXAKUh0
N+8b2iePAgMBAAECggEAGUKUGBFy3wKvRn0asHBa/PTqV0UsUPbusN8PRt4xu40v
dp0wed9ArlKXETedZiHBCjaeCTagf4efWpbIxDHSgojxgLEK8e+DJwWUzUVKPQko
otLRbFxqySY9YClRYPRxh45DXezvoUR+UQJMI4ppq3wL0RAmf0BXHhZYWZmBuya+
PcXtVollZhcZbdGMpXlJZRy37NBPCCW20iMnJ54PILIq7FSLiOkWiRks9p6Pw2cH
ZOBzBB/c1/0zwPS27iW6DU2BQAySYMLhpLeY6smO0yGDO7c1k9c4FrP58fXY+JY2
19+rqQWZUeqQ6tbnDJ2vLlV/vzkJY9iiT0ujsKzBvQKBgQDQljWzDIYb70mfZr6f
NNWWDsqqZbTYTxEfw34fPcpefAAoTJBYwuxezWdjkmLViFZD+QDvfp+r+sgD6Ubs
s1bUg/Plw0vvb/Ox/8wtXxeI0AMBSrMFxek2pTb0/EylpClwz53aO5oma/FUbG3a
n5xNrn9m3XpBgs764ohVd+kq7QKBgQDOuOKwL2mZQQv1RcPj8FLWH1pIWwcXhxfB
XAsCsGVzmopFLskc0af5FcnTxfVfb318Z+Qd1B3WvTE5y/AMT31IeI4b8MrTw86t
OQMW/iUgXRCfzNjctNKbQ/2C4p7MN6stsIyYTPFm9VpoxsPgcJOnabGJsldsmowW
U2wxEVbA6wKBgBuyNkMmAJCo/z+ZJuqA23NnV2W0x4SJSx7KmG6Rh9Nv551yPSBs
EXKtF3NTNqhfyASShZtHVvBBBlnumapITdk+BB6YBfcvCE60Rmon3DogVKXRQ2Aa
3VKSMW/qKEs+NvpxtuYJT/iWEJ9DHnsPAnQWHXiNI/Sa59zMQ4oFuAIpAoGBAKnE
Qj5IoaM/PQ/PnIEL8ytvkhhL0TYsNoEQEubBcH+Q0a7hLj5hm12+3AHz13/pspdB
RqCMe3jH5K4/YkLp4MxsXOBrTla8vnWZlYUDb//1Ddr+QrZ2NWNXYdFkRN8XdJfQ
HpZQ0gsowXe8jE48hbX94dRgRtWk0hjfp8FgKOvDAoGANgL9TF/Jxa3seO0HOvEj
1wRwfo0fE+WU9OPeyx4x2t0klYQktUSYVYZCQ+j/IfvQrPZJnUedvaB0cVghPn6B
G0xnDqqXBVc9IKXbQGZ6TUjEbRXd7TGm+jh/pEBOhw5HXhtXyYshIr/QVGYLa7n+
v635tCDviyXGbvSsk35LDik=
');
ALTER TABLE ONLY public.rr_answer
    ADD CONSTRAINT rr_answer_pkey PRIMARY KEY (place);
ALTER TABLE ONLY public.rr_code
    ADD CONSTRAINT rr_code_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.rr_opened
    ADD CONSTRAINT rr_opened_pkey PRIMARY KEY (day);
ALTER TABLE ONLY public.rr_receipt
    ADD CONSTRAINT rr_receipt_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.rr_state
    ADD CONSTRAINT rr_state_pkey PRIMARY KEY (answers);
ALTER TABLE ONLY public.rr_survey
    ADD CONSTRAINT rr_survey_pkey PRIMARY KEY (version);
