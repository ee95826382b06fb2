-- The layout of run.sqlite. `application_id` and `user_version` are set by the code that opens it.

CREATE TABLE commands (
    id INTEGER PRIMARY KEY,
    started_at TEXT NOT NULL,
    config TEXT NOT NULL
) STRICT;

CREATE TABLE assets (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    path TEXT NOT NULL,
    method TEXT NOT NULL,
    UNIQUE (hash, path, method)
) STRICT;

CREATE TABLE protocols (hash TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;

CREATE TABLE pictures (
    hash TEXT PRIMARY KEY,
    file TEXT NOT NULL,
    media_type TEXT NOT NULL,
    width_px INTEGER NOT NULL,
    height_px INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

-- Thousands of questions share their text.
CREATE TABLE texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;

CREATE TABLE questions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- What was sent, to whom; two questions about equal files share it.
    request TEXT NOT NULL,
    -- What it was planned as, known before its pictures are drawn; null where nobody planned ahead, and for people's votes.
    planned TEXT,
    rubric TEXT NOT NULL,
    rubric_hash TEXT NOT NULL,
    category TEXT,
    prompt TEXT,
    a INTEGER NOT NULL REFERENCES assets (id),
    b INTEGER REFERENCES assets (id),
    "order" TEXT NOT NULL CHECK ("order" IN ('ab', 'ba')),
    sample INTEGER NOT NULL,
    judge TEXT NOT NULL,
    base_url TEXT,
    settings TEXT NOT NULL,
    protocol TEXT REFERENCES protocols (hash),
    -- Edge of the smallest view as the judge sees it; null where no view is shown.
    view_px INTEGER,
    recorded_at TEXT NOT NULL,
    -- Of everything that the row and its assets, photo and pictures say. The same in other tables.
    sum INTEGER NOT NULL,
    -- The photos that it shows, as JSON; null where it shows none.
    photo TEXT REFERENCES texts (hash)
) STRICT;
CREATE INDEX questions_by_request ON questions (request);
CREATE INDEX questions_by_plan ON questions (planned) WHERE planned IS NOT NULL;

-- The message, in order: exactly one of the three columns is set.
CREATE TABLE parts (
    question INTEGER NOT NULL REFERENCES questions (number),
    place INTEGER NOT NULL,
    text TEXT REFERENCES texts (hash),
    picture TEXT REFERENCES pictures (hash),
    example_answer TEXT REFERENCES texts (hash),
    PRIMARY KEY (question, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    question INTEGER NOT NULL REFERENCES questions (number),
    asked_at TEXT NOT NULL,
    seconds REAL NOT NULL,
    outcome TEXT NOT NULL
        CHECK (outcome IN ('verdict', 'refusal', 'truncated', 'invalid', 'provider_error', 'budget_stopped')),
    reason TEXT,
    verdict TEXT,
    -- The text as it was received, marks of reasoning included.
    raw TEXT,
    -- How the reply ended, JSON; with reasoning, an object of `finish` and `reasoning`.
    finish TEXT,
    http_status INTEGER,
    model_reported TEXT,
    fingerprint TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    cached_tokens INTEGER,
    cost_usd REAL,
    -- The most that a request of unknown cost may have cost: it counts against the budget. Beside a known cost that is more: what was
    -- reserved for it.
    cost_usd_max REAL,
    -- A probability for each option of each criterion, JSON.
    probabilities TEXT,
    -- The question whose recorded reply this is; nothing was sent then.
    reused_from TEXT,
    sum INTEGER NOT NULL,
    -- The form that was asked for: schema or text; null for a judge without a server.
    answers TEXT CHECK (answers IN ('schema', 'text')),
    -- When the attempt was asked whose reply this one restates, in text and without pictures; null for an answer to the question itself.
    restates TEXT,
    CHECK ((outcome = 'verdict') = (verdict IS NOT NULL))
) STRICT;
CREATE INDEX attempts_by_question ON attempts (question, id);
-- A question is answered once, whatever happens.
CREATE UNIQUE INDEX answered ON attempts (question) WHERE outcome = 'verdict';

-- Requests in flight: recorded before they are sent, removed with their attempt. What a killed process leaves here becomes an attempt
-- without a reply when the run is next opened, so that neither the request nor its possible cost is lost.
CREATE TABLE sending (
    question INTEGER PRIMARY KEY REFERENCES questions (number),
    sent_at TEXT NOT NULL,
    cost_usd_max REAL
) STRICT;

-- Batches that were submitted, or are about to be: their file is closed before their row is written.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    judge TEXT NOT NULL,
    base_url TEXT,
    -- Submitted with the batch, so that it can be recognised at the provider.
    mark TEXT NOT NULL UNIQUE,
    -- The provider's name for it; null until it is known to have been accepted.
    name TEXT,
    -- When its file was closed, in milliseconds since 1970.
    sealed_ms INTEGER NOT NULL,
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1))
) STRICT;

-- The questions of batches, in the order of their lines; each is removed with its attempt. A reply that arrived waits here until its
-- question is read.
CREATE TABLE batch_items (
    question INTEGER PRIMARY KEY REFERENCES questions (number),
    batch INTEGER NOT NULL REFERENCES batches (id),
    place INTEGER NOT NULL,
    cost_usd_max REAL,
    reply TEXT,
    -- The form that its line asks for, as in attempts.
    answers TEXT
) STRICT;
CREATE INDEX batch_items_by_batch ON batch_items (batch, place);

-- Tests whether judges see: a picture whose content is known, and the tokens with and without it.
CREATE TABLE canaries (
    id INTEGER PRIMARY KEY,
    judge TEXT NOT NULL,
    base_url TEXT,
    settings TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    -- Null when the judge sees.
    reason TEXT,
    expected TEXT NOT NULL,
    raw TEXT,
    input_tokens_without INTEGER,
    input_tokens_with INTEGER,
    requests INTEGER NOT NULL,
    cost_usd REAL,
    cost_usd_max REAL
) STRICT;

-- A benchmark's assets: what a generator made of a prompt, or why there is nothing to show. The last try counts.
CREATE TABLE made (
    method TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    seed INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    -- Where it lies; null where nothing was made.
    path TEXT,
    hash TEXT,
    -- Size and time of the file when it was hashed, so that an unchanged file is not read again.
    file_bytes INTEGER,
    file_modified_ns INTEGER,
    -- Of its making; null where it was there already.
    seconds REAL,
    -- Null for an asset that can be judged, else where it failed.
    failed_at TEXT CHECK (failed_at IN ('generate', 'load', 'draw', 'check')),
    reason TEXT,
    sum INTEGER NOT NULL,
    -- The photos of the prompt, as JSON; null where it has none.
    photo TEXT,
    PRIMARY KEY (method, prompt_id, seed),
    CHECK ((failed_at IS NULL) = (reason IS NULL))
) STRICT, WITHOUT ROWID;

-- A benchmark's pairs, as scheduled. A pair with one missing asset is not asked: the stated rule decides it.
CREATE TABLE pairs (
    number INTEGER PRIMARY KEY,
    rubric TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    prompt TEXT NOT NULL,
    seed INTEGER NOT NULL,
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    result TEXT NOT NULL CHECK (result IN ('asked', 'a_by_forfeit', 'b_by_forfeit', 'left_out')),
    sum INTEGER NOT NULL,
    UNIQUE (rubric, prompt_id, seed, a, b)
) STRICT;
