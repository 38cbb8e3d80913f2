BEGIN TRANSACTION;
CREATE TABLE approvals (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "session_id" TEXT,
    "turn_id" TEXT,
    "run_id" TEXT,
    "agent" TEXT,
    "tool" TEXT,
    "arguments_hash" TEXT,
    "by" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE details (
    "turn" INTEGER NOT NULL,
    "decisions" TEXT,
    "steps" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn)
);
INSERT INTO "details" VALUES(1,NULL,'[{"step":1,"agent":"lango-orchestrator","run_id":"","conversation":"","messages":1,"earlier":0,"given":[["",1,1]],"usage":{"model":"offline","latency_ms":1.0}}]',NULL,2736327840);
INSERT INTO "details" VALUES(2,'[{"id":"decision-1","turn_id":"turn-2","seq":2,"author":"lango-orchestrator","text":"count the lines of notes.md","chosen":"operator","reason":"read notes.md → count lines","excluded":[],"call_id":"call-1","run_id":"arun-1","route":{"chosen":"operator","reason":"operator with confidence 0.99: ''lines'', a file or folder name","candidates":[{"agent":"operator","score":5.68,"confidence":0.9907,"signals":[{"kind":"family","term":"lines","weight":3.061},{"kind":"family","term":"of notes.md","weight":0.753},{"kind":"family","term":"… notes.md","weight":0.753},{"kind":"structure","term":"a file or folder name","weight":0.753},{"kind":"family","term":"count","weight":-0.522},{"kind":"family","term":"of","weight":0.51},{"kind":"other","term":"6 words with less weight","weight":0.386},{"kind":"prior","term":"how common fs is","weight":-0.072},{"kind":"other","term":"its other tool families","weight":0.058}],"vetoes":[]},{"agent":"librarian","score":-0.475,"confidence":0.0002,"signals":[{"kind":"prior","term":"how common skills is","weight":-0.917},{"kind":"family","term":"count","weight":-0.752},{"kind":"family","term":"the","weight":-0.718},{"kind":"family","term":"of","weight":0.618},{"kind":"family","term":"lines","weight":0.534},{"kind":"structure","term":"a file or folder name","weight":0.443},{"kind":"family","term":"… notes.md","weight":0.409},{"kind":"other","term":"6 words with less weight","weight":-0.092}],"vetoes":[]},{"agent":"automator","score":-0.707,"confidence":0.0001,"signals":[{"kind":"family","term":"lines","weight":-0.532},{"kind":"prior","term":"how common bg is","weight":-0.292},{"kind":"other","term":"11 words with less weight","weight":0.117}],"vetoes":[]},{"agent":"planner","score":-1.041,"confidence":0.0001,"signals":[{"kind":"other","term":"11 words with less weight","weight":-1.731},{"kind":"family","term":"lines","weight":0.935},{"kind":"prior","term":"how common planning is","weight":-0.245}],"vetoes":[]},{"agent":"chronicler","score":-3.021,"confidence":0.0,"signals":[{"kind":"other","term":"11 words with less weight","weight":-2.113},{"kind":"family","term":"the","weight":-1.0},{"kind":"prior","term":"how common memory is","weight":0.092}],"vetoes":[]}],"runner_up":"librarian","margin":6.155,"threshold":0.77,"min_margin":0.0,"is_conversation":false,"domains":["fs"],"root_confidence":0.0001}}]','[{"step":1,"agent":"lango-orchestrator","run_id":"","conversation":"","messages":3,"earlier":2,"given":[["",1,1]],"usage":{"model":"offline","latency_ms":0.9999999999999991}},{"step":2,"agent":"lango-orchestrator","run_id":"","conversation":"","messages":5,"earlier":2,"given":[["",1,4]],"usage":{"model":"offline","latency_ms":1.0000000000000009}},{"step":3,"agent":"operator","run_id":"arun-1","conversation":"main:child:operator:arun-1","messages":4,"earlier":2,"given":[["",1,1],["main:child:operator:arun-1",1,5]],"usage":{"model":"offline","latency_ms":1.0000000000000009}},{"step":4,"agent":"operator","run_id":"arun-1","conversation":"main:child:operator:arun-1","messages":6,"earlier":2,"given":[["",1,1],["main:child:operator:arun-1",1,7]],"usage":{"model":"offline","latency_ms":0.9999999999999974}},{"step":5,"agent":"lango-orchestrator","run_id":"","conversation":"","messages":7,"earlier":2,"given":[["",1,10]],"usage":{"model":"offline","latency_ms":1.0000000000000009}}]',NULL,3994028711);
INSERT INTO "details" VALUES(3,NULL,'[{"step":1,"agent":"lango-orchestrator","run_id":"","conversation":"","messages":6,"earlier":5,"given":[["",1,1]],"usage":{"model":"offline","latency_ms":1.0000000000000009}},{"step":2,"agent":"lango-orchestrator","run_id":"","conversation":"","messages":8,"earlier":5,"given":[["",1,3]],"usage":{"model":"offline","latency_ms":1.0000000000000009}}]',NULL,1851767337);
CREATE TABLE events (
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "turn_id" TEXT,
    "seq" INTEGER,
    "kind" TEXT,
    "at" TEXT,
    "author" TEXT,
    "step" INTEGER,
    "run_id" TEXT,
    "agent" TEXT,
    "target" TEXT,
    "decision_id" TEXT,
    "message_id" TEXT,
    "call_id" TEXT,
    "tool" TEXT,
    "text" TEXT,
    "result" TEXT,
    "is_error" INTEGER,
    "latency_ms" REAL,
    "outcome" TEXT,
    "error_code" TEXT,
    "model" TEXT,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "model_latency_ms" REAL,
    "cost_usd" REAL,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn, position)
) WITHOUT ROWID;
INSERT INTO "events" VALUES(1,0,'turn-1',1,'turn.started','2026-01-01T00:00:00.003000+00:00','user',NULL,NULL,NULL,NULL,NULL,'turn-1.1',NULL,NULL,'hello',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,4138044278);
INSERT INTO "events" VALUES(1,1,'turn-1',2,'text','2026-01-01T00:00:00.006000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,'turn-1.2',NULL,NULL,'Hello! Ask me about the files here, or who does what.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.0,NULL,NULL,3201737072);
INSERT INTO "events" VALUES(1,2,'turn-1',3,'turn.finished','2026-01-01T00:00:00.008000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'success',NULL,NULL,NULL,NULL,NULL,NULL,'{"steps":1,"duration_ms":5.0}',905570248);
INSERT INTO "events" VALUES(2,0,'turn-2',1,'turn.started','2026-01-01T00:00:00.011000+00:00','user',NULL,NULL,NULL,NULL,NULL,'turn-2.1',NULL,NULL,'count the lines of notes.md',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,3387575713);
INSERT INTO "events" VALUES(2,1,'turn-2',2,'handover','2026-01-01T00:00:00.015000+00:00','lango-orchestrator',1,NULL,NULL,'operator','decision-1','turn-2.2','call-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,9.99999999999999111821e-01,NULL,'{"reason":"read notes.md → count lines","round":1}',629171481);
INSERT INTO "events" VALUES(2,2,'turn-2',3,'run.started','2026-01-01T00:00:00.016000+00:00','lango-orchestrator',1,'arun-1','operator',NULL,NULL,'turn-2.3',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"instruction":"count the lines of notes.md","reason":"read notes.md → count lines","child_session":"main:child:operator:arun-1","timeout_s":300.0}',453456807);
INSERT INTO "events" VALUES(2,3,'turn-2',4,'child.forked','2026-01-01T00:00:00.017000+00:00','operator',NULL,'arun-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"child":"main:child:operator:arun-1","inherited":3}',2843104008);
INSERT INTO "events" VALUES(2,4,'turn-2',5,'tool.started','2026-01-01T00:00:00.021000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,'turn-2.5','call-2','agent_wait',NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,'{"arguments":{"agent_id":"arun-1","timeout":1},"safety":"safe","role":"control"}',3629160872);
INSERT INTO "events" VALUES(2,5,'turn-2',6,'tool.started','2026-01-01T00:00:00.025000+00:00','operator',3,'arun-1',NULL,NULL,NULL,'turn-2.6','call-a0d1-1','fs_read',NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,'{"arguments":{"path":"notes.md"},"safety":"safe","role":"work"}',1346087537);
INSERT INTO "events" VALUES(2,6,'turn-2',7,'tool.finished','2026-01-01T00:00:00.028000+00:00','operator',3,'arun-1',NULL,NULL,NULL,'turn-2.7','call-a0d1-1','fs_read',NULL,'one
two
',NULL,1.00000000000000088817e+00,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"role":"work"}',3933678192);
INSERT INTO "events" VALUES(2,7,'turn-2',8,'text','2026-01-01T00:00:00.031000+00:00','operator',4,'arun-1',NULL,NULL,NULL,'turn-2.8',NULL,NULL,'notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,9.99999999999997446487e-01,NULL,NULL,2007802350);
INSERT INTO "events" VALUES(2,8,'turn-2',9,'run.finished','2026-01-01T00:00:00.034000+00:00','operator',4,'arun-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"status":"completed","steps":2,"tool_calls":1,"duration_ms":15.000000000000004}',2392830128);
INSERT INTO "events" VALUES(2,9,'turn-2',10,'child.merged','2026-01-01T00:00:00.035000+00:00','lango-orchestrator',NULL,'arun-1',NULL,NULL,NULL,'turn-2.9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"child":"main:child:operator:arun-1","summary":"operator reports: notes.md has 2 lines."}',2695858997);
INSERT INTO "events" VALUES(2,10,'turn-2',11,'tool.finished','2026-01-01T00:00:00.037000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,'turn-2.10','call-2','agent_wait',NULL,'{"agent_id":"arun-1","result":"notes.md has 2 lines.","status":"completed"}',NULL,1.39999999999999982238e+01,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"role":"control"}',4238905117);
INSERT INTO "events" VALUES(2,11,'turn-2',12,'text','2026-01-01T00:00:00.040000+00:00','lango-orchestrator',5,NULL,NULL,NULL,NULL,'turn-2.11',NULL,NULL,'notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,856315905);
INSERT INTO "events" VALUES(2,12,'turn-2',13,'turn.finished','2026-01-01T00:00:00.042000+00:00','lango-orchestrator',5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'success',NULL,NULL,NULL,NULL,NULL,NULL,'{"rounds":1,"steps":5,"tool_calls":1,"duration_ms":31.0}',748443003);
INSERT INTO "events" VALUES(3,0,'turn-3',1,'turn.started','2026-01-01T00:00:00.045000+00:00','user',NULL,NULL,NULL,NULL,NULL,'turn-3.1',NULL,NULL,'create a task: water the basil',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,2566990149);
INSERT INTO "events" VALUES(3,1,'turn-3',2,'tool.started','2026-01-01T00:00:00.048000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,'turn-3.2','call-1','task_create',NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,'{"arguments":{"title":"water the basil"},"safety":"safe","role":"control"}',670528669);
INSERT INTO "events" VALUES(3,2,'turn-3',3,'tool.finished','2026-01-01T00:00:00.052000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,'turn-3.3','call-1','task_create',NULL,'{"status":"todo","task_id":"task-1"}',NULL,1.99999999999999489297e+00,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"role":"control"}',1301061699);
INSERT INTO "events" VALUES(3,3,'turn-3',4,'text','2026-01-01T00:00:00.055000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,'turn-3.4',NULL,NULL,'Noted as to do: water the basil.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,1936157234);
INSERT INTO "events" VALUES(3,4,'turn-3',5,'turn.finished','2026-01-01T00:00:00.057000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'success',NULL,NULL,NULL,NULL,NULL,NULL,'{"steps":2,"duration_ms":12.000000000000004}',2771145256);
CREATE TABLE forgotten (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "turns" INTEGER,
    "latest" TEXT,
    "at" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE late_messages (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "session_id" TEXT,
    "messages" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE ledger (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "kind" TEXT,
    "run_id" TEXT,
    "turn_id" TEXT,
    "session_id" TEXT,
    "agent" TEXT,
    "at" TEXT,
    "runtime_condition" TEXT,
    "blocked_reason" TEXT,
    "grant_request_id" TEXT,
    "grant_attempt" INTEGER,
    "grant_state" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE memories (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "agent" TEXT,
    "key" TEXT,
    "content" TEXT,
    "scope" TEXT,
    "kind" TEXT,
    "confidence" REAL,
    "use_count" INTEGER,
    "created_at" TEXT,
    "updated_at" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
INSERT INTO "memories" VALUES(1,'operator/tone','operator','tone','Short answers.','instance','preference',0.5,0,'2026-01-01T00:00:00.058000+00:00','2026-01-01T00:00:00.058000+00:00','{"memory_id":"memory-1","tags":[]}',3930861835);
CREATE TABLE meta (
    "name" TEXT NOT NULL,
    "value" INTEGER,
    PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema',3);
INSERT INTO "meta" VALUES('turns',0);
INSERT INTO "meta" VALUES('writers',1);
CREATE TABLE questions (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "name" TEXT,
    "session_id" TEXT,
    "turn_id" TEXT,
    "run_id" TEXT,
    "agent" TEXT,
    "tool" TEXT,
    "arguments_hash" TEXT,
    "writer" INTEGER,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
CREATE TABLE runs (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "turn_id" TEXT,
    "session_id" TEXT,
    "agent" TEXT,
    "spawned_by" TEXT,
    "parent_run_id" TEXT,
    "status" TEXT,
    "instruction" TEXT,
    "result" TEXT,
    "error" TEXT,
    "error_code" TEXT,
    "child_session" TEXT,
    "runtime_condition" TEXT,
    "steps" INTEGER,
    "tool_calls" INTEGER,
    "created_at" TEXT,
    "completed_at" TEXT,
    "writer" INTEGER,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
INSERT INTO "runs" VALUES(1,'arun-1','turn-2','main','operator','lango-orchestrator','','completed','count the lines of notes.md','notes.md has 2 lines.','','','main:child:operator:arun-1','',2,1,'2026-01-01T00:00:00.014000+00:00','2026-01-01T00:00:00.032000+00:00',1,'{"spawn_depth":1,"allowed_tools":null,"spawn_reason":"read notes.md → count lines","timeout_s":300.0,"blocked_reason":"","grant_request_id":"","grant_attempt":0,"grant_state":"","waiting_on_run_id":"","recovery_state":""}',3241257751);
CREATE TABLE tasks (
    position INTEGER PRIMARY KEY,
    "id" TEXT NOT NULL,
    "title" TEXT,
    "description" TEXT,
    "parent_id" TEXT,
    "status" TEXT,
    "created_at" TEXT,
    "updated_at" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (id)
);
INSERT INTO "tasks" VALUES(1,'task-1','water the basil','','','todo','2026-01-01T00:00:00.050000+00:00','2026-01-01T00:00:00.050000+00:00',NULL,2092824957);
CREATE TABLE transcripts (
    "turn" INTEGER NOT NULL,
    "messages" TEXT,
    "history" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn)
);
INSERT INTO "transcripts" VALUES(1,'[{"role":"user","content":"hello","author":"user","id":"turn-1.1"},{"role":"assistant","content":"Hello! Ask me about the files here, or who does what.","author":"lango-orchestrator","id":"turn-1.2"}]',NULL,NULL,3524394353);
INSERT INTO "transcripts" VALUES(2,'[{"role":"user","content":"count the lines of notes.md","author":"user","id":"turn-2.1"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-1","name":"agent_spawn","arguments":{"agent":"operator","instruction":"count the lines of notes.md","spawn_reason":"read notes.md → count lines"}}],"id":"turn-2.2"},{"role":"user","content":"count the lines of notes.md","author":"lango-orchestrator","id":"turn-2.3","conversation":"main:child:operator:arun-1"},{"role":"tool","content":"{\"agent_id\":\"arun-1\",\"requested_agent\":\"operator\",\"spawn_reason\":\"read notes.md → count lines\",\"status\":\"spawned\"}","author":"lango-orchestrator","tool_call_id":"call-1","tool_name":"agent_spawn","id":"turn-2.4"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-2","name":"agent_wait","arguments":{"agent_id":"arun-1","timeout":1}}],"id":"turn-2.5"},{"role":"assistant","author":"operator","tool_calls":[{"id":"call-a0d1-1","name":"fs_read","arguments":{"path":"notes.md"}}],"id":"turn-2.6","conversation":"main:child:operator:arun-1"},{"role":"tool","content":"one\ntwo\n","author":"operator","tool_call_id":"call-a0d1-1","tool_name":"fs_read","id":"turn-2.7","conversation":"main:child:operator:arun-1"},{"role":"assistant","content":"notes.md has 2 lines.","author":"operator","id":"turn-2.8","conversation":"main:child:operator:arun-1"},{"role":"assistant","content":"operator reports: notes.md has 2 lines.","author":"lango-orchestrator","id":"turn-2.9","conversation":"session"},{"role":"tool","content":"{\"agent_id\":\"arun-1\",\"result\":\"notes.md has 2 lines.\",\"status\":\"completed\"}","author":"lango-orchestrator","tool_call_id":"call-2","tool_name":"agent_wait","id":"turn-2.10"},{"role":"assistant","content":"notes.md has 2 lines.","author":"lango-orchestrator","id":"turn-2.11"}]','[{"role":"user","content":"count the lines of notes.md","author":"user","id":"turn-2.1"},{"role":"assistant","content":"operator reports: notes.md has 2 lines.","author":"lango-orchestrator","id":"turn-2.9","conversation":"session"},{"role":"assistant","content":"notes.md has 2 lines.","author":"lango-orchestrator","id":"turn-2.11"}]',NULL,1693468730);
INSERT INTO "transcripts" VALUES(3,'[{"role":"user","content":"create a task: water the basil","author":"user","id":"turn-3.1"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-1","name":"task_create","arguments":{"title":"water the basil"}}],"id":"turn-3.2"},{"role":"tool","content":"{\"status\":\"todo\",\"task_id\":\"task-1\"}","author":"lango-orchestrator","tool_call_id":"call-1","tool_name":"task_create","id":"turn-3.3"},{"role":"assistant","content":"Noted as to do: water the basil.","author":"lango-orchestrator","id":"turn-3.4"}]',NULL,NULL,2620777940);
CREATE TABLE turns (
    "number" INTEGER NOT NULL,
    "id" TEXT NOT NULL UNIQUE,
    "session_id" TEXT,
    "text" TEXT,
    "answer" TEXT,
    "outcome" TEXT,
    "error_code" TEXT,
    "topology" TEXT,
    "model" TEXT,
    "path" TEXT,
    "agents" TEXT,
    "tools" TEXT,
    "rounds" INTEGER,
    "steps" INTEGER,
    "tool_calls" INTEGER,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "started_at" TEXT,
    "ended_at" TEXT,
    "duration_ms" REAL,
    "writer" INTEGER,
    "events" INTEGER,
    "parts" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (number)
);
INSERT INTO "turns" VALUES(1,'turn-1','main','hello','Hello! Ask me about the files here, or who does what.','success','','octet','offline','["lango-orchestrator"]','["lango-orchestrator"]','[]',0,1,0,NULL,NULL,'2026-01-01T00:00:00.001000+00:00','2026-01-01T00:00:00.008000+00:00',5.0,1,3,'{"counts":{"messages":2,"decisions":0,"runs":0,"steps":1,"history":2}}','{"input_tokens":null,"output_tokens":null}',1629280112);
INSERT INTO "turns" VALUES(2,'turn-2','main','count the lines of notes.md','notes.md has 2 lines.','success','','octet','offline','["lango-orchestrator","operator","lango-orchestrator"]','["lango-orchestrator","operator"]','["agent_wait","fs_read"]',1,5,1,NULL,NULL,'2026-01-01T00:00:00.009000+00:00','2026-01-01T00:00:00.042000+00:00',31.0,1,13,'{"counts":{"messages":11,"decisions":1,"runs":1,"steps":5,"history":3}}','{"input_tokens":null,"output_tokens":null}',3862842772);
INSERT INTO "turns" VALUES(3,'turn-3','main','create a task: water the basil','Noted as to do: water the basil.','success','','octet','offline','["lango-orchestrator"]','["lango-orchestrator"]','["task_create"]',0,2,0,NULL,NULL,'2026-01-01T00:00:00.043000+00:00','2026-01-01T00:00:00.057000+00:00',1.20000000000000035522e+01,1,5,'{"counts":{"messages":4,"decisions":0,"runs":0,"steps":2,"history":4}}','{"input_tokens":null,"output_tokens":null}',247776257);
CREATE INDEX turns_1 ON turns (session_id, number);
CREATE INDEX turns_2 ON turns (writer) WHERE outcome = 'running';
CREATE INDEX runs_1 ON runs (turn_id);
CREATE INDEX runs_2 ON runs (writer) WHERE completed_at IS NULL;
CREATE INDEX memories_1 ON memories (agent);
CREATE INDEX approvals_1 ON approvals (session_id);
CREATE INDEX questions_1 ON questions (session_id);
CREATE INDEX late_messages_1 ON late_messages (session_id);
CREATE INDEX ledger_1 ON ledger (run_id);
CREATE INDEX ledger_2 ON ledger (turn_id);
CREATE VIEW messages AS SELECT owner.turn, item.key AS position, json_extract(item.value, '$.id') AS "id", json_extract(item.value, '$.conversation') AS "conversation", json_extract(item.value, '$.role') AS "role", json_extract(item.value, '$.author') AS "author", json_extract(item.value, '$.content') AS "content", json_extract(item.value, '$.tool_calls') AS "tool_calls", json_extract(item.value, '$.tool_call_id') AS "call_id", json_extract(item.value, '$.tool_name') AS "tool", json_extract(item.value, '$.is_error') AS "is_error" FROM transcripts AS owner, json_each(owner."messages") AS item;
CREATE VIEW decisions AS SELECT owner.turn, item.key AS position, json_extract(item.value, '$.id') AS "id", json_extract(item.value, '$.turn_id') AS "turn_id", json_extract(item.value, '$.seq') AS "seq", json_extract(item.value, '$.author') AS "author", json_extract(item.value, '$.text') AS "text", json_extract(item.value, '$.chosen') AS "chosen", json_extract(item.value, '$.reason') AS "reason", json_extract(item.value, '$.call_id') AS "call_id", json_extract(item.value, '$.run_id') AS "run_id", json_extract(item.value, '$.route.chosen') AS "router_choice", json_extract(item.value, '$.route.margin') AS "margin", json_extract(item.value, '$.route.candidates') AS "candidates" FROM details AS owner, json_each(owner."decisions") AS item;
CREATE VIEW candidates AS SELECT owner.turn, owner.position, item.key AS place, json_extract(item.value, '$.agent') AS "agent", json_extract(item.value, '$.score') AS "score", json_extract(item.value, '$.confidence') AS "confidence", json_extract(item.value, '$.signals') AS "signals", json_extract(item.value, '$.vetoes') AS "vetoes" FROM decisions AS owner, json_each(owner."candidates") AS item;
CREATE VIEW steps AS SELECT owner.turn, item.key AS position, json_extract(item.value, '$.step') AS "step", json_extract(item.value, '$.agent') AS "agent", json_extract(item.value, '$.run_id') AS "run_id", json_extract(item.value, '$.conversation') AS "conversation", json_extract(item.value, '$.messages') AS "messages", json_extract(item.value, '$.earlier') AS "earlier", json_extract(item.value, '$.given') AS "given", json_extract(item.value, '$.usage.model') AS "model", json_extract(item.value, '$.usage.input_tokens') AS "input_tokens", json_extract(item.value, '$.usage.output_tokens') AS "output_tokens", json_extract(item.value, '$.usage.latency_ms') AS "latency_ms", json_extract(item.value, '$.usage.cost_usd') AS "cost_usd" FROM details AS owner, json_each(owner."steps") AS item;
COMMIT;
