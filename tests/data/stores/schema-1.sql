BEGIN TRANSACTION;
CREATE TABLE lango_documents (
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (kind, id)
);
INSERT INTO "lango_documents" VALUES(1,'run','arun-1','{"id":"arun-1","session_id":"main","turn_id":"turn-2","agent":"operator","status":"completed","writer":1,"run":{"id":"arun-1","parent_id":"main","requested_agent":"operator","instruction":"count the lines of notes.md","created_at":"2026-01-01T00:00:00.014000+00:00","turn_id":"turn-2","spawned_by":"lango-orchestrator","parent_run_id":"","status":"completed","result":"notes.md has 2 lines.","error":"","error_code":"","child_session":"main:child:operator:arun-1","spawn_depth":1,"allowed_tools":null,"spawn_reason":"a file or folder name, ''line''","timeout_s":300.0,"completed_at":"2026-01-01T00:00:00.032000+00:00","runtime_condition":"","blocked_reason":"","grant_request_id":"","grant_attempt":0,"grant_state":"","waiting_on_run_id":"","recovery_state":"","steps":2,"tool_calls":1}}');
INSERT INTO "lango_documents" VALUES(2,'task','task-1','{"id":"task-1","title":"water the basil","description":"","parent_id":"","status":"todo","created_at":"2026-01-01T00:00:00.050000+00:00","updated_at":"2026-01-01T00:00:00.050000+00:00"}');
INSERT INTO "lango_documents" VALUES(3,'memory','operator/tone','{"id":"operator/tone","memory_id":"memory-1","agent":"operator","key":"tone","content":"Short answers.","scope":"instance","kind":"preference","confidence":0.5,"use_count":0,"tags":[],"created_at":"2026-01-01T00:00:00.058000+00:00","updated_at":"2026-01-01T00:00:00.058000+00:00"}');
CREATE TABLE lango_events (
    turn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (turn, position)
);
INSERT INTO "lango_events" VALUES(1,0,'{"kind":"turn.started","turn_id":"turn-1","seq":1,"at":"2026-01-01T00:00:00.003000+00:00","author":"user","text":"hello"}');
INSERT INTO "lango_events" VALUES(1,1,'{"kind":"text","turn_id":"turn-1","seq":2,"at":"2026-01-01T00:00:00.006000+00:00","author":"lango-orchestrator","step":1,"text":"Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.","usage":{"model":"offline","latency_ms":1.0}}');
INSERT INTO "lango_events" VALUES(1,2,'{"kind":"turn.finished","turn_id":"turn-1","seq":3,"at":"2026-01-01T00:00:00.008000+00:00","author":"lango-orchestrator","step":1,"outcome":"success","steps":1,"duration_ms":5.0}');
INSERT INTO "lango_events" VALUES(2,0,'{"kind":"turn.started","turn_id":"turn-2","seq":1,"at":"2026-01-01T00:00:00.011000+00:00","author":"user","text":"count the lines of notes.md"}');
INSERT INTO "lango_events" VALUES(2,1,'{"kind":"handover","turn_id":"turn-2","seq":2,"at":"2026-01-01T00:00:00.015000+00:00","author":"lango-orchestrator","step":1,"target":"operator","reason":"a file or folder name, ''line''","call_id":"call-1","decision_id":"decision-1","round":1,"usage":{"model":"offline","latency_ms":0.9999999999999991}}');
INSERT INTO "lango_events" VALUES(2,2,'{"kind":"run.started","turn_id":"turn-2","seq":3,"at":"2026-01-01T00:00:00.016000+00:00","author":"lango-orchestrator","step":1,"run_id":"arun-1","agent":"operator","instruction":"count the lines of notes.md","reason":"a file or folder name, ''line''","child_session":"main:child:operator:arun-1","timeout_s":300.0}');
INSERT INTO "lango_events" VALUES(2,3,'{"kind":"child.forked","turn_id":"turn-2","seq":4,"at":"2026-01-01T00:00:00.017000+00:00","author":"operator","run_id":"arun-1","child":"main:child:operator:arun-1","inherited":3}');
INSERT INTO "lango_events" VALUES(2,4,'{"kind":"tool.started","turn_id":"turn-2","seq":5,"at":"2026-01-01T00:00:00.021000+00:00","author":"lango-orchestrator","step":2,"call_id":"call-2","tool":"agent_wait","arguments":{"agent_id":"arun-1","timeout":1},"safety":"safe","usage":{"model":"offline","latency_ms":1.0000000000000009}}');
INSERT INTO "lango_events" VALUES(2,5,'{"kind":"tool.started","turn_id":"turn-2","seq":6,"at":"2026-01-01T00:00:00.025000+00:00","author":"operator","step":3,"run_id":"arun-1","call_id":"call-7fbb-1","tool":"fs_read","arguments":{"path":"notes.md"},"safety":"safe","usage":{"model":"offline","latency_ms":1.0000000000000009}}');
INSERT INTO "lango_events" VALUES(2,6,'{"kind":"tool.finished","turn_id":"turn-2","seq":7,"at":"2026-01-01T00:00:00.028000+00:00","author":"operator","step":3,"run_id":"arun-1","call_id":"call-7fbb-1","tool":"fs_read","result":"one\ntwo\n","latency_ms":1.0000000000000009}');
INSERT INTO "lango_events" VALUES(2,7,'{"kind":"text","turn_id":"turn-2","seq":8,"at":"2026-01-01T00:00:00.031000+00:00","author":"operator","step":4,"run_id":"arun-1","text":"notes.md has 2 lines.","usage":{"model":"offline","latency_ms":0.9999999999999974}}');
INSERT INTO "lango_events" VALUES(2,8,'{"kind":"run.finished","turn_id":"turn-2","seq":9,"at":"2026-01-01T00:00:00.034000+00:00","author":"operator","step":4,"run_id":"arun-1","status":"completed","result":"notes.md has 2 lines.","steps":2,"tool_calls":1,"duration_ms":15.000000000000004}');
INSERT INTO "lango_events" VALUES(2,9,'{"kind":"child.merged","turn_id":"turn-2","seq":10,"at":"2026-01-01T00:00:00.035000+00:00","author":"lango-orchestrator","run_id":"arun-1","child":"main:child:operator:arun-1","summary":"operator reports: notes.md has 2 lines."}');
INSERT INTO "lango_events" VALUES(2,10,'{"kind":"tool.finished","turn_id":"turn-2","seq":11,"at":"2026-01-01T00:00:00.037000+00:00","author":"lango-orchestrator","step":2,"call_id":"call-2","tool":"agent_wait","result":"{\"agent_id\":\"arun-1\",\"result\":\"notes.md has 2 lines.\",\"status\":\"completed\"}","latency_ms":13.999999999999998}');
INSERT INTO "lango_events" VALUES(2,11,'{"kind":"text","turn_id":"turn-2","seq":12,"at":"2026-01-01T00:00:00.040000+00:00","author":"lango-orchestrator","step":5,"text":"notes.md has 2 lines.","usage":{"model":"offline","latency_ms":1.0000000000000009}}');
INSERT INTO "lango_events" VALUES(2,12,'{"kind":"turn.finished","turn_id":"turn-2","seq":13,"at":"2026-01-01T00:00:00.042000+00:00","author":"lango-orchestrator","step":5,"outcome":"success","rounds":1,"steps":5,"tool_calls":1,"duration_ms":31.0}');
INSERT INTO "lango_events" VALUES(3,0,'{"kind":"turn.started","turn_id":"turn-3","seq":1,"at":"2026-01-01T00:00:00.045000+00:00","author":"user","text":"create a task: water the basil"}');
INSERT INTO "lango_events" VALUES(3,1,'{"kind":"tool.started","turn_id":"turn-3","seq":2,"at":"2026-01-01T00:00:00.048000+00:00","author":"lango-orchestrator","step":1,"call_id":"call-1","tool":"task_create","arguments":{"title":"water the basil"},"safety":"safe","usage":{"model":"offline","latency_ms":1.0000000000000009}}');
INSERT INTO "lango_events" VALUES(3,2,'{"kind":"tool.finished","turn_id":"turn-3","seq":3,"at":"2026-01-01T00:00:00.052000+00:00","author":"lango-orchestrator","step":1,"call_id":"call-1","tool":"task_create","result":"{\"status\":\"todo\",\"task_id\":\"task-1\"}","latency_ms":1.999999999999995}');
INSERT INTO "lango_events" VALUES(3,3,'{"kind":"text","turn_id":"turn-3","seq":4,"at":"2026-01-01T00:00:00.055000+00:00","author":"lango-orchestrator","step":2,"text":"Created task-1: water the basil.","usage":{"model":"offline","latency_ms":1.0000000000000009}}');
INSERT INTO "lango_events" VALUES(3,4,'{"kind":"turn.finished","turn_id":"turn-3","seq":5,"at":"2026-01-01T00:00:00.057000+00:00","author":"lango-orchestrator","step":2,"outcome":"success","steps":2,"tool_calls":1,"duration_ms":12.000000000000004}');
CREATE TABLE lango_meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
);
INSERT INTO "lango_meta" VALUES('schema',1);
INSERT INTO "lango_meta" VALUES('turns',3);
INSERT INTO "lango_meta" VALUES('writers',1);
INSERT INTO "lango_meta" VALUES('synced',1);
CREATE TABLE lango_sessions (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL
);
INSERT INTO "lango_sessions" VALUES('main',6);
CREATE TABLE lango_turn_bodies (
    turn INTEGER PRIMARY KEY,
    data TEXT NOT NULL
);
INSERT INTO "lango_turn_bodies" VALUES(1,'{"messages":[{"role":"user","content":"hello","author":"user"},{"role":"assistant","content":"Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.","author":"lango-orchestrator"}],"decisions":[],"runs":[]}');
INSERT INTO "lango_turn_bodies" VALUES(2,'{"messages":[{"role":"user","content":"count the lines of notes.md","author":"user"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-1","name":"agent_spawn","arguments":{"agent":"operator","instruction":"count the lines of notes.md","spawn_reason":"a file or folder name, ''line''"}}]},{"role":"tool","content":"{\"agent_id\":\"arun-1\",\"requested_agent\":\"operator\",\"spawn_reason\":\"a file or folder name, ''line''\",\"status\":\"spawned\"}","author":"lango-orchestrator","tool_call_id":"call-1","tool_name":"agent_spawn"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-2","name":"agent_wait","arguments":{"agent_id":"arun-1","timeout":1}}]},{"role":"tool","content":"{\"agent_id\":\"arun-1\",\"result\":\"notes.md has 2 lines.\",\"status\":\"completed\"}","author":"lango-orchestrator","tool_call_id":"call-2","tool_name":"agent_wait"},{"role":"assistant","content":"operator reports: notes.md has 2 lines.","author":"lango-orchestrator"},{"role":"assistant","content":"notes.md has 2 lines.","author":"lango-orchestrator"}],"decisions":[{"id":"decision-1","turn_id":"turn-2","seq":2,"author":"lango-orchestrator","text":"count the lines of notes.md","chosen":"operator","reason":"a file or folder name, ''line''","excluded":[],"call_id":"call-1","run_id":"arun-1","route":{"chosen":"operator","reason":"operator leads by 2.4: a file or folder name, ''line''","candidates":[{"agent":"operator","score":2.4,"signals":[{"kind":"structure","term":"a file or folder name","weight":1.8},{"kind":"family","term":"line","weight":0.6}],"vetoes":[]},{"agent":"librarian","score":0.0,"signals":[],"vetoes":[]},{"agent":"automator","score":0,"signals":[],"vetoes":["cannot do file operations"]},{"agent":"planner","score":0,"signals":[],"vetoes":["cannot do file operations","cannot do any tool-based operations"]},{"agent":"chronicler","score":0,"signals":[],"vetoes":["cannot do file operations"]}],"runner_up":null,"margin":2.4,"threshold":1.5,"min_margin":0.2,"is_conversation":false,"domains":["fs"]}}],"runs":[{"id":"arun-1","parent_id":"main","requested_agent":"operator","instruction":"count the lines of notes.md","created_at":"2026-01-01T00:00:00.014000+00:00","turn_id":"turn-2","spawned_by":"lango-orchestrator","parent_run_id":"","status":"completed","result":"notes.md has 2 lines.","error":"","error_code":"","child_session":"main:child:operator:arun-1","spawn_depth":1,"allowed_tools":null,"spawn_reason":"a file or folder name, ''line''","timeout_s":300.0,"completed_at":"2026-01-01T00:00:00.032000+00:00","runtime_condition":"","blocked_reason":"","grant_request_id":"","grant_attempt":0,"grant_state":"","waiting_on_run_id":"","recovery_state":"","steps":2,"tool_calls":1}],"history":[{"role":"user","content":"count the lines of notes.md","author":"user"},{"role":"assistant","content":"operator reports: notes.md has 2 lines.","author":"lango-orchestrator"},{"role":"assistant","content":"notes.md has 2 lines.","author":"lango-orchestrator"}]}');
INSERT INTO "lango_turn_bodies" VALUES(3,'{"messages":[{"role":"user","content":"create a task: water the basil","author":"user"},{"role":"assistant","author":"lango-orchestrator","tool_calls":[{"id":"call-1","name":"task_create","arguments":{"title":"water the basil"}}]},{"role":"tool","content":"{\"status\":\"todo\",\"task_id\":\"task-1\"}","author":"lango-orchestrator","tool_call_id":"call-1","tool_name":"task_create"},{"role":"assistant","content":"Created task-1: water the basil.","author":"lango-orchestrator"}],"decisions":[],"runs":[]}');
CREATE TABLE lango_turn_names (
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (turn, role, name)
);
INSERT INTO "lango_turn_names" VALUES(1,'agent','lango-orchestrator');
INSERT INTO "lango_turn_names" VALUES(2,'agent','lango-orchestrator');
INSERT INTO "lango_turn_names" VALUES(2,'agent','operator');
INSERT INTO "lango_turn_names" VALUES(2,'tool','agent_wait');
INSERT INTO "lango_turn_names" VALUES(2,'tool','fs_read');
INSERT INTO "lango_turn_names" VALUES(3,'agent','lango-orchestrator');
INSERT INTO "lango_turn_names" VALUES(3,'tool','task_create');
CREATE TABLE lango_turns (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    writer INTEGER NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT,
    started_at TEXT NOT NULL,
    events INTEGER NOT NULL,
    data TEXT NOT NULL
);
INSERT INTO "lango_turns" VALUES(1,'turn-1','main',1,'closed','success','2026-01-01T00:00:00.001000+00:00',3,'{"id":"turn-1","session_id":"main","topology":"octet","model":"offline","text":"hello","answer":"Hello! I hand requests to 5 agents: operator, librarian, automator, planner, chronicler. Ask me to list or read the files here.","outcome":"success","error_code":"","path":["lango-orchestrator"],"rounds":0,"steps":1,"tool_calls":0,"started_at":"2026-01-01T00:00:00.001000+00:00","ended_at":"2026-01-01T00:00:00.008000+00:00","duration_ms":5.0,"input_tokens":null,"output_tokens":null,"agents":["lango-orchestrator"],"tools":[]}');
INSERT INTO "lango_turns" VALUES(2,'turn-2','main',1,'closed','success','2026-01-01T00:00:00.009000+00:00',13,'{"id":"turn-2","session_id":"main","topology":"octet","model":"offline","text":"count the lines of notes.md","answer":"notes.md has 2 lines.","outcome":"success","error_code":"","path":["lango-orchestrator","operator","lango-orchestrator"],"rounds":1,"steps":5,"tool_calls":1,"started_at":"2026-01-01T00:00:00.009000+00:00","ended_at":"2026-01-01T00:00:00.042000+00:00","duration_ms":31.0,"input_tokens":null,"output_tokens":null,"agents":["lango-orchestrator","operator"],"tools":["agent_wait","fs_read"]}');
INSERT INTO "lango_turns" VALUES(3,'turn-3','main',1,'closed','success','2026-01-01T00:00:00.043000+00:00',5,'{"id":"turn-3","session_id":"main","topology":"octet","model":"offline","text":"create a task: water the basil","answer":"Created task-1: water the basil.","outcome":"success","error_code":"","path":["lango-orchestrator"],"rounds":0,"steps":2,"tool_calls":1,"started_at":"2026-01-01T00:00:00.043000+00:00","ended_at":"2026-01-01T00:00:00.057000+00:00","duration_ms":12.000000000000004,"input_tokens":null,"output_tokens":null,"agents":["lango-orchestrator"],"tools":["task_create"]}');
CREATE INDEX lango_turns_of_session ON lango_turns (session_id, number);
CREATE INDEX lango_turns_by_time ON lango_turns (started_at);
CREATE INDEX lango_turns_open ON lango_turns (writer) WHERE state = 'open';
CREATE INDEX lango_turns_of_name ON lango_turn_names (role, name, turn);
COMMIT;
