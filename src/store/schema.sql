-- The layout of run.sqlite. `application_id` and `user_version` are set by the code that opens it.
--
-- A row is a document: `body` is JSON that serde writes and reads, `sum` the checksum of the row's texts. What rows are searched by is a
-- column of its own; SQLite makes those of answers and canaries from the body.

CREATE TABLE commands (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

-- By their hash. Thousands of questions share their text.
CREATE TABLE protocols (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
CREATE TABLE pictures (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
CREATE TABLE texts (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

-- A benchmark's assets: what a generator made of a prompt, or why there is nothing to show. The last try counts.
CREATE TABLE made (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

-- A benchmark's pairs, as scheduled. A pair with one missing asset is not asked: the stated rule decides it.
CREATE TABLE pairs (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

-- How judges and rubrics are asked and shown from the last call on, by name. What was asked in another way is kept and counts no more.
CREATE TABLE judges (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
CREATE TABLE rubrics (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

-- Tests whether judges see: a picture whose content is known, and the tokens with and without it.
CREATE TABLE canaries (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    sum INTEGER NOT NULL,
    requests INTEGER AS (body ->> '$.requests'),
    cost_usd REAL AS (body ->> '$.cost_usd'),
    cost_usd_max REAL AS (body ->> '$.cost_usd_max')
) STRICT;

-- Batches that were submitted, or are about to be, by their mark: their file is closed before their row is written.
CREATE TABLE batches (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

CREATE TABLE questions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- What was sent, to whom; two questions about equal files share it.
    request TEXT NOT NULL,
    -- What it was planned as, known before its pictures are drawn; null where nobody planned ahead, and for people's votes.
    planned TEXT,
    judge TEXT NOT NULL,
    base_url TEXT,
    settings TEXT NOT NULL,
    body TEXT NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE INDEX questions_by_request ON questions (request);
CREATE INDEX questions_by_plan ON questions (planned) WHERE planned IS NOT NULL;

CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    question INTEGER NOT NULL REFERENCES questions (number),
    body TEXT NOT NULL,
    sum INTEGER NOT NULL,
    outcome TEXT NOT NULL AS (body ->> '$.outcome') STORED,
    -- Whether it was sent: not if the budget stopped it, or a recorded reply answers it.
    is_sent INTEGER AS (body ->> '$.outcome' <> 'budget_stopped' AND body ->> '$.reused_from' IS NULL) STORED,
    cost_usd REAL AS (body ->> '$.cost_usd') STORED,
    cost_usd_max REAL AS (body ->> '$.cost_usd_max') STORED,
    CHECK (outcome IN ('verdict', 'refusal', 'truncated', 'invalid', 'provider_error', 'budget_stopped'))
) STRICT;
CREATE INDEX attempts_by_question ON attempts (question, id);
-- A question is answered once, whatever happens.
CREATE UNIQUE INDEX answered ON attempts (question) WHERE outcome = 'verdict';

-- Requests in flight: recorded before they are sent, removed with their attempt. What a killed process leaves here becomes an attempt
-- without a reply when the run is next opened, so that neither the request nor its possible cost is lost.
CREATE TABLE sending (question INTEGER PRIMARY KEY REFERENCES questions (number), body TEXT NOT NULL) STRICT;

-- The questions of batches, in the order of their lines; each is removed with its attempt. A reply that arrived waits here until its
-- question is read.
CREATE TABLE batch_items (
    question INTEGER PRIMARY KEY REFERENCES questions (number),
    batch INTEGER NOT NULL REFERENCES batches (number),
    place INTEGER NOT NULL,
    body TEXT NOT NULL,
    is_answered INTEGER NOT NULL AS (body ->> '$.reply' IS NOT NULL)
) STRICT;
CREATE INDEX batch_items_by_batch ON batch_items (batch, place);
