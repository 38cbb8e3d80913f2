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
CREATE TABLE decisions (
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "id" TEXT,
    "turn_id" TEXT,
    "seq" INTEGER,
    "author" TEXT,
    "text" TEXT,
    "chosen" TEXT,
    "reason" TEXT,
    "call_id" TEXT,
    "run_id" TEXT,
    "router_choice" TEXT,
    "margin" REAL,
    "candidates" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn, position)
) WITHOUT ROWID;
INSERT INTO "decisions" VALUES(2,0,'decision-1','turn-2',2,'lango-orchestrator','count the lines of notes.md','operator','''lines'', ''of notes.md'', ''… notes.md''','call-1','arun-1','operator',7.89,'[{"agent":"operator","score":6.712,"confidence":0.9905,"signals":[{"kind":"family","term":"lines","weight":3.668},{"kind":"family","term":"of notes.md","weight":0.748},{"kind":"family","term":"… notes.md","weight":0.748},{"kind":"structure","term":"a file or folder name","weight":0.748},{"kind":"family","term":"of","weight":0.571},{"kind":"other","term":"6 words with less weight","weight":0.548},{"kind":"family","term":"count","weight":-0.371},{"kind":"other","term":"its other tool families","weight":0.07},{"kind":"prior","term":"how common fs is","weight":-0.018}],"vetoes":[]},{"agent":"automator","score":-1.178,"confidence":0.0001,"signals":[{"kind":"family","term":"lines","weight":-0.694},{"kind":"family","term":"the","weight":0.35},{"kind":"structure","term":"a file or folder name","weight":-0.337},{"kind":"family","term":"of","weight":0.261},{"kind":"prior","term":"how common bg is","weight":-0.222},{"kind":"family","term":"count","weight":-0.213},{"kind":"family","term":"… notes.md","weight":-0.192},{"kind":"other","term":"6 words with less weight","weight":-0.131}],"vetoes":[]},{"agent":"librarian","score":-1.327,"confidence":0.0,"signals":[{"kind":"prior","term":"how common skills is","weight":-1.368},{"kind":"other","term":"11 words with less weight","weight":1.267},{"kind":"family","term":"count","weight":-1.226}],"vetoes":[]},{"agent":"planner","score":-1.355,"confidence":0.0,"signals":[{"kind":"family","term":"count","weight":-0.994},{"kind":"other","term":"11 words with less weight","weight":-0.225},{"kind":"prior","term":"how common planning is","weight":-0.136}],"vetoes":[]},{"agent":"chronicler","score":-3.968,"confidence":0.0,"signals":[{"kind":"other","term":"11 words with less weight","weight":-2.6},{"kind":"family","term":"the","weight":-1.442},{"kind":"prior","term":"how common memory is","weight":0.074}],"vetoes":[]}]','{"excluded":[],"route":{"reason":"operator with confidence 0.99: ''lines'', ''of notes.md'', ''… notes.md''","runner_up":"automator","threshold":0.712,"min_margin":0.0,"is_conversation":false,"domains":["fs"],"root_confidence":0.0003}}',20721942);
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
INSERT INTO "events" VALUES(1,1,'turn-1',2,'text','2026-01-01T00:00:00.006000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,'turn-1.2',NULL,NULL,'Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.0,NULL,NULL,3017043344);
INSERT INTO "events" VALUES(1,2,'turn-1',3,'turn.finished','2026-01-01T00:00:00.008000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'success',NULL,NULL,NULL,NULL,NULL,NULL,'{"steps":1,"duration_ms":5.0}',905570248);
INSERT INTO "events" VALUES(2,0,'turn-2',1,'turn.started','2026-01-01T00:00:00.011000+00:00','user',NULL,NULL,NULL,NULL,NULL,'turn-2.1',NULL,NULL,'count the lines of notes.md',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,3387575713);
INSERT INTO "events" VALUES(2,1,'turn-2',2,'handover','2026-01-01T00:00:00.015000+00:00','lango-orchestrator',1,NULL,NULL,'operator','decision-1','turn-2.2','call-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,9.99999999999999111821e-01,NULL,'{"reason":"''lines'', ''of notes.md'', ''… notes.md''","round":1}',3757556139);
INSERT INTO "events" VALUES(2,2,'turn-2',3,'run.started','2026-01-01T00:00:00.016000+00:00','lango-orchestrator',1,'arun-1','operator',NULL,NULL,'turn-2.3',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"instruction":"count the lines of notes.md","reason":"''lines'', ''of notes.md'', ''… notes.md''","child_session":"main:child:operator:arun-1","timeout_s":300.0}',2078419093);
INSERT INTO "events" VALUES(2,3,'turn-2',4,'child.forked','2026-01-01T00:00:00.017000+00:00','operator',NULL,'arun-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"child":"main:child:operator:arun-1","inherited":3}',2843104008);
INSERT INTO "events" VALUES(2,4,'turn-2',5,'tool.started','2026-01-01T00:00:00.021000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,'turn-2.5','call-2','agent_wait',NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,'{"arguments":{"agent_id":"arun-1","timeout":1},"safety":"safe"}',2720318888);
INSERT INTO "events" VALUES(2,5,'turn-2',6,'tool.started','2026-01-01T00:00:00.025000+00:00','operator',3,'arun-1',NULL,NULL,NULL,'turn-2.6','call-7fbb-1','fs_read',NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,'{"arguments":{"path":"notes.md"},"safety":"safe"}',3677052108);
INSERT INTO "events" VALUES(2,6,'turn-2',7,'tool.finished','2026-01-01T00:00:00.028000+00:00','operator',3,'arun-1',NULL,NULL,NULL,'turn-2.7','call-7fbb-1','fs_read',NULL,'one
two
',NULL,1.00000000000000088817e+00,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1722710265);
INSERT INTO "events" VALUES(2,7,'turn-2',8,'text','2026-01-01T00:00:00.031000+00:00','operator',4,'arun-1',NULL,NULL,NULL,'turn-2.8',NULL,NULL,'notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,9.99999999999997446487e-01,NULL,NULL,2007802350);
INSERT INTO "events" VALUES(2,8,'turn-2',9,'run.finished','2026-01-01T00:00:00.034000+00:00','operator',4,'arun-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"status":"completed","steps":2,"tool_calls":1,"duration_ms":15.000000000000004}',2392830128);
INSERT INTO "events" VALUES(2,9,'turn-2',10,'child.merged','2026-01-01T00:00:00.035000+00:00','lango-orchestrator',NULL,'arun-1',NULL,NULL,NULL,'turn-2.9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"child":"main:child:operator:arun-1","summary":"operator reports: notes.md has 2 lines."}',2695858997);
INSERT INTO "events" VALUES(2,10,'turn-2',11,'tool.finished','2026-01-01T00:00:00.037000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,'turn-2.10','call-2','agent_wait',NULL,'{"agent_id":"arun-1","result":"notes.md has 2 lines.","status":"completed"}',NULL,1.39999999999999982238e+01,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,993063289);
INSERT INTO "events" VALUES(2,11,'turn-2',12,'text','2026-01-01T00:00:00.040000+00:00','lango-orchestrator',5,NULL,NULL,NULL,NULL,'turn-2.11',NULL,NULL,'notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,856315905);
INSERT INTO "events" VALUES(2,12,'turn-2',13,'turn.finished','2026-01-01T00:00:00.042000+00:00','lango-orchestrator',5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'success',NULL,NULL,NULL,NULL,NULL,NULL,'{"rounds":1,"steps":5,"tool_calls":1,"duration_ms":31.0}',748443003);
INSERT INTO "events" VALUES(3,0,'turn-3',1,'turn.started','2026-01-01T00:00:00.045000+00:00','user',NULL,NULL,NULL,NULL,NULL,'turn-3.1',NULL,NULL,'create a task: water the basil',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,2566990149);
INSERT INTO "events" VALUES(3,1,'turn-3',2,'tool.started','2026-01-01T00:00:00.048000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,'turn-3.2','call-1','task_create',NULL,NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,'{"arguments":{"title":"water the basil"},"safety":"safe"}',460427474);
INSERT INTO "events" VALUES(3,2,'turn-3',3,'tool.finished','2026-01-01T00:00:00.052000+00:00','lango-orchestrator',1,NULL,NULL,NULL,NULL,'turn-3.3','call-1','task_create',NULL,'{"status":"todo","task_id":"task-1"}',NULL,1.99999999999999489297e+00,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,2396039006);
INSERT INTO "events" VALUES(3,3,'turn-3',4,'text','2026-01-01T00:00:00.055000+00:00','lango-orchestrator',2,NULL,NULL,NULL,NULL,'turn-3.4',NULL,NULL,'Created task-1: water the basil.',NULL,NULL,NULL,NULL,NULL,'offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,1148346571);
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
CREATE TABLE history (
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "messages" TEXT,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn, position)
) WITHOUT ROWID;
INSERT INTO "history" VALUES(1,0,'[{"role":"user","content":"hello","author":"user","id":"turn-1.1"},{"role":"assistant","content":"Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.","author":"lango-orchestrator","id":"turn-1.2"}]',NULL,3550238334);
INSERT INTO "history" VALUES(2,0,'[{"role":"user","content":"count the lines of notes.md","author":"user","id":"turn-2.1"},{"role":"assistant","content":"operator reports: notes.md has 2 lines.","author":"lango-orchestrator","id":"turn-2.9","conversation":"session"},{"role":"assistant","content":"notes.md has 2 lines.","author":"lango-orchestrator","id":"turn-2.11"}]',NULL,2717589993);
INSERT INTO "history" VALUES(3,0,'[{"role":"user","content":"create a task: water the basil","author":"user","id":"turn-3.1"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-1","name":"task_create","arguments":{"title":"water the basil"}}],"id":"turn-3.2"},{"role":"tool","content":"{\"status\":\"todo\",\"task_id\":\"task-1\"}","author":"lango-orchestrator","tool_call_id":"call-1","tool_name":"task_create","id":"turn-3.3"},{"role":"assistant","content":"Created task-1: water the basil.","author":"lango-orchestrator","id":"turn-3.4"}]',NULL,942436873);
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
CREATE TABLE messages (
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "id" TEXT,
    "conversation" TEXT,
    "role" TEXT,
    "author" TEXT,
    "content" TEXT,
    "tool_calls" TEXT,
    "call_id" TEXT,
    "tool" TEXT,
    "is_error" INTEGER,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn, position)
) WITHOUT ROWID;
INSERT INTO "messages" VALUES(1,0,'turn-1.1',NULL,'user','user','hello',NULL,NULL,NULL,NULL,NULL,527223354);
INSERT INTO "messages" VALUES(1,1,'turn-1.2',NULL,'assistant','lango-orchestrator','Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.',NULL,NULL,NULL,NULL,NULL,3021911235);
INSERT INTO "messages" VALUES(2,0,'turn-2.1',NULL,'user','user','count the lines of notes.md',NULL,NULL,NULL,NULL,NULL,4012615206);
INSERT INTO "messages" VALUES(2,1,'turn-2.2',NULL,'assistant','lango-orchestrator',NULL,'[{"id":"call-1","name":"agent_spawn","arguments":{"agent":"operator","instruction":"count the lines of notes.md","spawn_reason":"''lines'', ''of notes.md'', ''… notes.md''"}}]',NULL,NULL,NULL,NULL,3119712359);
INSERT INTO "messages" VALUES(2,2,'turn-2.3','main:child:operator:arun-1','user','lango-orchestrator','count the lines of notes.md',NULL,NULL,NULL,NULL,NULL,1526594347);
INSERT INTO "messages" VALUES(2,3,'turn-2.4',NULL,'tool','lango-orchestrator','{"agent_id":"arun-1","requested_agent":"operator","spawn_reason":"''lines'', ''of notes.md'', ''… notes.md''","status":"spawned"}',NULL,'call-1','agent_spawn',NULL,NULL,2703131808);
INSERT INTO "messages" VALUES(2,4,'turn-2.5',NULL,'assistant','lango-orchestrator',NULL,'[{"id":"call-2","name":"agent_wait","arguments":{"agent_id":"arun-1","timeout":1}}]',NULL,NULL,NULL,NULL,958500181);
INSERT INTO "messages" VALUES(2,5,'turn-2.6','main:child:operator:arun-1','assistant','operator',NULL,'[{"id":"call-7fbb-1","name":"fs_read","arguments":{"path":"notes.md"}}]',NULL,NULL,NULL,NULL,2885624673);
INSERT INTO "messages" VALUES(2,6,'turn-2.7','main:child:operator:arun-1','tool','operator','one
two
',NULL,'call-7fbb-1','fs_read',NULL,NULL,1618214762);
INSERT INTO "messages" VALUES(2,7,'turn-2.8','main:child:operator:arun-1','assistant','operator','notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,2791280300);
INSERT INTO "messages" VALUES(2,8,'turn-2.9','session','assistant','lango-orchestrator','operator reports: notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,3977112076);
INSERT INTO "messages" VALUES(2,9,'turn-2.10',NULL,'tool','lango-orchestrator','{"agent_id":"arun-1","result":"notes.md has 2 lines.","status":"completed"}',NULL,'call-2','agent_wait',NULL,NULL,1491378005);
INSERT INTO "messages" VALUES(2,10,'turn-2.11',NULL,'assistant','lango-orchestrator','notes.md has 2 lines.',NULL,NULL,NULL,NULL,NULL,2605628392);
INSERT INTO "messages" VALUES(3,0,'turn-3.1',NULL,'user','user','create a task: water the basil',NULL,NULL,NULL,NULL,NULL,4289495572);
INSERT INTO "messages" VALUES(3,1,'turn-3.2',NULL,'assistant','lango-orchestrator',NULL,'[{"id":"call-1","name":"task_create","arguments":{"title":"water the basil"}}]',NULL,NULL,NULL,NULL,3406844421);
INSERT INTO "messages" VALUES(3,2,'turn-3.3',NULL,'tool','lango-orchestrator','{"status":"todo","task_id":"task-1"}',NULL,'call-1','task_create',NULL,NULL,1354852875);
INSERT INTO "messages" VALUES(3,3,'turn-3.4',NULL,'assistant','lango-orchestrator','Created task-1: water the basil.',NULL,NULL,NULL,NULL,NULL,573693563);
CREATE TABLE meta (
    "name" TEXT NOT NULL,
    "value" INTEGER,
    PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema',2);
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
INSERT INTO "runs" VALUES(1,'arun-1','turn-2','main','operator','lango-orchestrator','','completed','count the lines of notes.md','notes.md has 2 lines.','','','main:child:operator:arun-1','',2,1,'2026-01-01T00:00:00.014000+00:00','2026-01-01T00:00:00.032000+00:00',1,'{"spawn_depth":1,"allowed_tools":null,"spawn_reason":"''lines'', ''of notes.md'', ''… notes.md''","timeout_s":300.0,"blocked_reason":"","grant_request_id":"","grant_attempt":0,"grant_state":"","waiting_on_run_id":"","recovery_state":""}',2626051835);
CREATE TABLE steps (
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "step" INTEGER,
    "agent" TEXT,
    "run_id" TEXT,
    "conversation" TEXT,
    "messages" INTEGER,
    "earlier" INTEGER,
    "given" TEXT,
    "model" TEXT,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "latency_ms" REAL,
    "cost_usd" REAL,
    data TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (turn, position)
) WITHOUT ROWID;
INSERT INTO "steps" VALUES(1,0,1,'lango-orchestrator','','',1,0,'[["",1,1]]','offline',NULL,NULL,1.0,NULL,NULL,1309336411);
INSERT INTO "steps" VALUES(2,0,1,'lango-orchestrator','','',3,2,'[["",1,1]]','offline',NULL,NULL,9.99999999999999111821e-01,NULL,NULL,3666446600);
INSERT INTO "steps" VALUES(2,1,2,'lango-orchestrator','','',5,2,'[["",1,4]]','offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,1695103359);
INSERT INTO "steps" VALUES(2,2,3,'operator','arun-1','main:child:operator:arun-1',4,2,'[["",1,1],["main:child:operator:arun-1",1,5]]','offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,3701253148);
INSERT INTO "steps" VALUES(2,3,4,'operator','arun-1','main:child:operator:arun-1',6,2,'[["",1,1],["main:child:operator:arun-1",1,7]]','offline',NULL,NULL,9.99999999999997446487e-01,NULL,NULL,1269143193);
INSERT INTO "steps" VALUES(2,4,5,'lango-orchestrator','','',7,2,'[["",1,10]]','offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,3444038427);
INSERT INTO "steps" VALUES(3,0,1,'lango-orchestrator','','',6,5,'[["",1,1]]','offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,3409866296);
INSERT INTO "steps" VALUES(3,1,2,'lango-orchestrator','','',8,5,'[["",1,3]]','offline',NULL,NULL,1.00000000000000088817e+00,NULL,NULL,634121017);
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
INSERT INTO "turns" VALUES(1,'turn-1','main','hello','Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.','success','','octet','offline','["lango-orchestrator"]','["lango-orchestrator"]','[]',0,1,0,NULL,NULL,'2026-01-01T00:00:00.001000+00:00','2026-01-01T00:00:00.008000+00:00',5.0,1,3,'{"counts":{"messages":2,"decisions":0,"runs":0,"steps":1,"history":2}}','{"input_tokens":null,"output_tokens":null}',1272363417);
INSERT INTO "turns" VALUES(2,'turn-2','main','count the lines of notes.md','notes.md has 2 lines.','success','','octet','offline','["lango-orchestrator","operator","lango-orchestrator"]','["lango-orchestrator","operator"]','["agent_wait","fs_read"]',1,5,1,NULL,NULL,'2026-01-01T00:00:00.009000+00:00','2026-01-01T00:00:00.042000+00:00',31.0,1,13,'{"counts":{"messages":11,"decisions":1,"runs":1,"steps":5,"history":3}}','{"input_tokens":null,"output_tokens":null}',3862842772);
INSERT INTO "turns" VALUES(3,'turn-3','main','create a task: water the basil','Created task-1: water the basil.','success','','octet','offline','["lango-orchestrator"]','["lango-orchestrator"]','["task_create"]',0,2,0,NULL,NULL,'2026-01-01T00:00:00.043000+00:00','2026-01-01T00:00:00.057000+00:00',1.20000000000000035522e+01,1,5,'{"counts":{"messages":4,"decisions":0,"runs":0,"steps":2,"history":4}}','{"input_tokens":null,"output_tokens":null}',137858959);
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
CREATE VIEW candidates AS SELECT owner.turn, owner.position, item.key AS place, json_extract(item.value, '$.agent') AS "agent", json_extract(item.value, '$.score') AS "score", json_extract(item.value, '$.confidence') AS "confidence", json_extract(item.value, '$.signals') AS "signals", json_extract(item.value, '$.vetoes') AS "vetoes" FROM decisions AS owner, json_each(owner."candidates") AS item;
COMMIT;
