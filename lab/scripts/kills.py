#!/usr/bin/env python3
"""Kills meshjudge at random moments and repeats the command, until the run is whole; then compares the run with what its server saw.

    python3 lab/scripts/kills.py MESHJUDGE [--kills 1000] [--phases asking,batches,generating,voting] [--workers 3] [--seed 1]

Needs Python 3.10 or later, a Unix system and nothing else: the servers of judges, batches and generators are its own. Four in five signals
are SIGKILL, the others SIGTERM, SIGINT and SIGHUP. Of each run it checks:

asking      every question has one verdict; nothing stored is asked again; the cost is that of the replies kept, and each request that was
            lost is booked at its maximum, so that the run says at least what the server bills
batches     as above, over OpenAI's and Anthropic's batches, with replies to submissions lost on purpose; the cost is exact
generating  every asset is made; none that is recorded is made again; what is booked covers what the server was asked for
voting      every vote that was acknowledged is in the run, once

After one kill in four, and at the end of each run, the database is rebuilt from a copy of the journal and compared with the one that is there:
nothing may be missing, and at the end nothing may differ. Prints one JSON object a phase; exits 1 if anything was lost, paid twice or wrong.
"""
import argparse, base64, hashlib, json, os, random, re, shutil, signal, sqlite3, struct, subprocess, sys, tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

REPLY_USD = 1000 * 2e-6 + 200 * 10e-6
ASSET_USD = 0.05
ANSWER = 'Analysis.\n\nFinal answer:\n1 2 2 3 2 1'
MODELS = 'dated = "a test"\n[[models]]\nnames = ["m"]\nroutes = ["openai", "anthropic"]\nbatch_share = 0.5\nusd_per_million = { input = 2.0, output = 10.0 }\n'


class Server:
    """answer(method, path, headers, raw) gives (status, bytes), or None to hang up."""
    def __init__(self, answer):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *_): pass
            def go(self):
                raw = self.rfile.read(int(self.headers.get('content-length') or 0))
                got = answer(self.command, self.path, raw)
                if got is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, data = got
                data = data if isinstance(data, bytes) else json.dumps(data).encode()
                try:
                    self.send_response(status)
                    self.send_header('content-type', 'application/json')
                    self.send_header('content-length', str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass
            do_POST = do_GET = go
        class Quiet(ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 256
            def handle_error(self, *_): pass
        self.server = Quiet(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Seen:
    """How often each question was paid for, and which came although its verdict was stored."""
    def __init__(self):
        self.lock, self.paid, self.stored, self.again = threading.Lock(), {}, set(), []
    def pay(self, key):
        with self.lock:
            self.paid[key] = self.paid.get(key, 0) + 1
            if key in self.stored: self.again.append(key)
    def bill(self): return sum(self.paid.values())


def key_of(body):
    """The prompt of a question and its picture, which says the order."""
    text = json.dumps(body)
    prompt = re.search(r'thing number \d+', text)[0]
    data = re.search(r'(?:base64,|"data": ?")([A-Za-z0-9+/=]{100,})', text)[1]
    return prompt, hashlib.sha256(base64.b64decode(data)).hexdigest()


def box(path, size):
    corners = [(x, y, z * size) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4']
    path_text = ''.join('v %g %g %g\n' % c for c in corners) + ''.join(f'f {f}\n' for f in faces)
    with open(path, 'w') as f: f.write(path_text)


def glb():
    """One triangle."""
    points = struct.pack('<9f', 0, 0, 0, 1, 0, 0, 0, 1, 0)
    scene = json.dumps({'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}], 'nodes': [{'mesh': 0}],
        'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}], 'buffers': [{'byteLength': 36}],
        'bufferViews': [{'buffer': 0, 'byteLength': 36}],
        'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3', 'min': [0, 0, 0], 'max': [1, 1, 0]}]}).encode()
    scene += b' ' * (-len(scene) % 4)
    chunks = struct.pack('<II', len(scene), 0x4E4F534A) + scene + struct.pack('<II', 36, 0x004E4942) + points
    return struct.pack('<III', 0x46546C67, 2, 12 + len(chunks)) + chunks


class Phase:
    longest = 0.7

    def __init__(self, program, seed, counts):
        self.program, self.random, self.counts = program, random.Random(seed), counts
        self.folder = tempfile.mkdtemp(prefix='mj-kills-')
        self.problems = []
        for name, size in (('a', 1.0), ('b', 1.5)): box(self.at(name + '.obj'), size)
        with open(self.at('models.toml'), 'w') as f: f.write(MODELS)

    def at(self, *names): return os.path.join(self.folder, *names)

    def bench(self, prompts, judge, generators=None):
        lines = ['name = "kills"', 'prompts = [%s]' % ', '.join(f'"thing number {i}"' for i in range(prompts)), 'concurrency = 8',
                 f'judges = [{json.dumps(judge)}]' if isinstance(judge, str) else 'judges = [{ spec = "%s", base_url = "%s" }]' % judge,
                 '[rating]', 'bootstraps = 0', '[pictures]', 'size_px = 32', 'views = 1']
        lines += generators or [l for m in 'ab' for l in ('[[generators]]', f'name = "{m}"', f'path = "{m}.obj"')]
        with open(self.at('bench.toml'), 'w') as f: f.write('\n'.join(lines) + '\n')

    def start(self, *args):
        env = dict(os.environ, OPENAI_API_KEY='k', ANTHROPIC_API_KEY='k', XDG_CONFIG_HOME=self.folder)
        return subprocess.Popen([self.program, *args], cwd=self.folder, env=env, stdout=subprocess.DEVNULL, stderr=open(self.at('errors'), 'a'))

    def strike(self, child):
        """Sends a signal; whether one was sent."""
        if child.poll() is not None: return False
        which = self.random.choice([signal.SIGKILL] * 12 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        child.send_signal(which)
        self.counts['kills'] += 1
        self.counts[which.name] = self.counts.get(which.name, 0) + 1
        return True

    def until_done(self, args, kills_max):
        """Repeats a command, which is killed a random time after its start, until it ends well."""
        for repeats in range(400):
            child = self.start(*args)
            if repeats < kills_max:
                time.sleep(self.random.uniform(0.01, self.longest))
                self.strike(child)
            try: code = child.wait(120)
            except subprocess.TimeoutExpired:
                child.kill()
                self.problems.append('it does not end')
                return
            self.after_end()
            if code == 0: return
            if self.random.random() < 0.25: self.rebuild(False)
        self.problems.append('400 commands did not complete it: ' + open(self.at('errors')).read()[-300:])

    def after_end(self): pass

    def query(self, sql):
        path = self.at('run', 'run.sqlite')
        if not os.path.isfile(path): return []
        # Not read-only: a kill while the database is created leaves a journal that the next reader has to roll back.
        with sqlite3.connect(f'file:{path}?mode=rw', uri=True, timeout=20) as db:
            try: return db.execute(sql).fetchall()
            except sqlite3.OperationalError as e:
                if 'no such table' in str(e): return []
                raise

    def rebuild(self, is_end):
        """Compares the database with the one that its journal gives."""
        if not os.path.isfile(self.at('run', 'run.journal')) or not self.query('SELECT 1 FROM commands'): return
        tables = [t for t, in self.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        here = {t: set(self.query(f'SELECT * FROM {t}')) for t in tables}
        copy = self.at('copy')
        shutil.rmtree(copy, True)
        os.makedirs(os.path.join(copy, 'sheets'))
        shutil.copy(self.at('run', 'run.journal'), copy)
        code = subprocess.run([self.program, 'recover', copy, '-q'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        if code not in (0, 1): self.problems.append(f'recover ended with {code}')
        with sqlite3.connect(os.path.join(copy, 'run.sqlite')) as db:
            there = {t: set(db.execute(f'SELECT * FROM {t}').fetchall()) for t in tables}
        self.counts['rebuilt'] += 1
        for t in tables:
            # Before the end, what the next command writes over may be there as well.
            if is_end and here[t] != there[t] or not is_end and t == 'attempts' and here[t] - there[t]:
                self.problems.append(f'{t}: the journal lacks {len(here[t] - there[t])} rows and has {len(there[t] - here[t])} others')

    def stored(self):
        """The questions that have a verdict, as the server knows them."""
        found = set()
        for prompt, file in self.query("SELECT q.prompt, s.file FROM questions q JOIN attempts t ON t.question = q.number JOIN parts p ON p.question = q.number JOIN pictures s ON s.hash = p.picture WHERE t.outcome = 'verdict'"):
            with open(self.at('run', file), 'rb') as f: found.add((prompt, hashlib.sha256(f.read()).hexdigest()))
        return found

    def check_verdicts(self, questions):
        rows = self.query("SELECT question, count(*) FROM attempts WHERE outcome = 'verdict' GROUP BY question")
        if len(rows) != questions or any(n != 1 for _, n in rows): self.problems.append(f'{len(rows)} verdicts of {questions} questions')

    def near(self, name, found, right):
        if abs(found - right) > 1e-9: self.problems.append(f'{name}: {found} instead of {right}')

    def close(self, server=None):
        if server: server.close()
        self.counts['runs'] += 1
        shutil.rmtree(self.folder, True)
        return self.problems


class Asking(Phase):
    prompts = 30

    def run(self, kills_max):
        self.seen = Seen()
        def answer(method, path, raw):
            self.seen.pay(key_of(json.loads(raw)))
            time.sleep(0.015)
            return 200, {'object': 'chat.completion', 'model': 'm', 'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': ANSWER}}], 'usage': {'prompt_tokens': 1000, 'completion_tokens': 200}}
        server = Server(answer)
        self.bench(self.prompts, ('openai:m', server.url + '/v1'))
        self.until_done(['bench', 'bench.toml', '--run', 'run', '--models', 'models.toml', '--max-cost', '1000', '-q'], kills_max)
        self.check_verdicts(2 * self.prompts)
        if self.seen.again: self.problems.append(f'{len(self.seen.again)} asked again although stored')
        (known, known_usd, lost, lost_usd), = self.query('SELECT count(cost_usd), total(cost_usd), sum(cost_usd IS NULL AND cost_usd_max IS NOT NULL), total(CASE WHEN cost_usd IS NULL THEN cost_usd_max END) FROM attempts')
        self.near('cost of the replies', known_usd, known * REPLY_USD)
        (attempts,), = self.query('SELECT count(*) FROM attempts')
        if known + (lost or 0) != attempts: self.problems.append('attempts without any cost')
        if attempts < self.seen.bill(): self.problems.append(f'{self.seen.bill()} requests, {attempts} attempts')
        if known_usd + lost_usd < self.seen.bill() * REPLY_USD - 1e-9: self.problems.append('less is booked than was billed')
        self.counts['paid'] += self.seen.bill()
        self.counts['lost in flight'] = self.counts.get('lost in flight', 0) + self.seen.bill() - known
        self.rebuild(True)
        return self.close(server)

    def after_end(self):
        with self.seen.lock: self.seen.stored = self.stored()


class Batches(Phase):
    prompts, longest = 4, 2.2

    def run(self, kills_max):
        self.seen, self.files, self.batches, lock = Seen(), {}, [], threading.Lock()
        route = self.random.choice(['openai', 'anthropic'])
        # The server has moments of its own: it may take a batch and hang up, and it answers late.
        hang_ups, dice = [self.random.random() < 0.3], random.Random(self.random.random())
        def taken(lines, mark):
            # What is accepted is listed a little later, whether or not its client still lives.
            time.sleep(dice.uniform(0, 0.3))
            with lock:
                name = f'batch_{len(self.batches)}'
                batch = {'id': name, 'lines': lines, 'looks': 0, 'mark': mark}
                self.batches.append(batch)
                for _, body in lines: self.seen.pay(key_of(body))
                if hang_ups and hang_ups.pop(): return None
            time.sleep(dice.uniform(0, 0.1))
            return 200, shown(batch)
        def shown(b):
            is_done = b['looks'] > 1
            n = len(b['lines'])
            return {'id': b['id'], 'status': 'completed' if is_done else 'in_progress', 'output_file_id': 'out-' + b['id'], 'metadata': {'meshjudge': b['mark']},
                    'processing_status': 'ended' if is_done else 'in_progress', 'request_counts': {'processing': 0 if is_done else n, 'succeeded': n if is_done else 0}}
        def results(b):
            time.sleep(dice.uniform(0, 0.1))
            out = []
            for key, _ in b['lines']:
                if route == 'openai':
                    out.append({'custom_id': key, 'response': {'status_code': 200, 'body': {'object': 'chat.completion', 'model': 'm', 'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': ANSWER}}], 'usage': {'prompt_tokens': 1000, 'completion_tokens': 200}}}})
                else:
                    out.append({'custom_id': key, 'result': {'type': 'succeeded', 'message': {'type': 'message', 'model': 'm', 'stop_reason': 'end_turn', 'content': [{'type': 'text', 'text': ANSWER}], 'usage': {'input_tokens': 1000, 'output_tokens': 200}}}})
            text = '\n'.join(json.dumps(line) for line in out).encode()
            # Sometimes the file ends in the middle of a line.
            return 200, text[:-30] if dice.random() < 0.2 else text
        def answer(method, path, raw):
            time.sleep(dice.uniform(0, 0.03))
            path = path.split('?')[0]
            find = lambda name: next(b for b in self.batches if b['id'] == name)
            if (method, path) == ('POST', '/v1/files'):
                with lock: name = f'file-{len(self.files)}'; self.files[name] = raw
                return 200, {'id': name}
            if (method, path) == ('POST', '/v1/batches'):
                body = json.loads(raw)
                lines = [json.loads(l) for l in self.files[body['input_file_id']].split(b'\r\n') for l in l.splitlines() if l.startswith(b'{')]
                return taken([(l['custom_id'], l['body']) for l in lines], body['metadata']['meshjudge'])
            if (method, path) == ('POST', '/v1/messages/batches'):
                return taken([(l['custom_id'], l['params']) for l in json.loads(raw)['requests']], None)
            if path in ('/v1/batches', '/v1/messages/batches'):
                with lock:
                    for b in self.batches: b['looks'] += 1
                    return 200, {'data': [shown(b) for b in self.batches[::-1]], 'has_more': False}
            if path.endswith('/content'): return results(find(path.split('/')[3][4:]))
            if path.endswith('/results'): return results(find(path.split('/')[4]))
            b = find(path.split('/')[-1])
            b['looks'] += 1
            return 200, shown(b)
        server = Server(answer)
        self.bench(self.prompts, (f'{route}:m', server.url + '/v1'))
        size = str(self.random.choice([2, 3, 8]))
        self.until_done(['bench', 'bench.toml', '--run', 'run', '--models', 'models.toml', '--no-canary', '--batch', '--batch-poll', '1', '--batch-size', size, '-q'], kills_max)
        self.check_verdicts(2 * self.prompts)
        twice = [key for key, n in self.seen.paid.items() if n > 1]
        if twice: self.problems.append(f'{route}: {len(twice)} questions paid twice')
        (usd, left), = self.query('SELECT total(coalesce(cost_usd, cost_usd_max)), (SELECT count(*) FROM batch_items) FROM attempts')
        self.near(f'{route}: cost', usd, self.seen.bill() * REPLY_USD / 2)
        if left: self.problems.append(f'{left} questions left in batches')
        self.counts['paid'] += self.seen.bill()
        self.rebuild(True)
        return self.close(server)


class Generating(Phase):
    prompts = 12

    def run(self, kills_max):
        self.jobs, self.made, lock = {}, {}, threading.Lock()
        asset = glb()
        def answer(method, path, raw):
            prompt = json.loads(raw)['prompt']
            with lock: self.jobs[prompt] = self.jobs.get(prompt, 0) + 1
            time.sleep(0.03)
            return 200, asset
        server = Server(answer)
        script = 'echo "$1" >> made.log; sleep 0.03; cp a.obj "$2"'
        self.bench(self.prompts, 'probe', ['[[generators]]', 'name = "a"', f"command = ['sh', '-c', '{script}', 'sh', '{{prompt}}', '{{out}}']", 'extension = "obj"',
            '[[generators]]', 'name = "b"', f'url = "{server.url}/make"', 'json = { prompt = "{prompt}" }', f'cost_usd = {ASSET_USD}'])
        self.until_done(['bench', 'bench.toml', '--run', 'run', '--max-cost', '1000', '-q'], kills_max)
        made = self.query('SELECT method, prompt_id FROM made WHERE failed_at IS NULL AND hash IS NOT NULL')
        if len(made) != 2 * self.prompts: self.problems.append(f'{len(made)} assets of {2 * self.prompts}: ' + str(self.query('SELECT reason FROM made WHERE reason IS NOT NULL LIMIT 1')))
        with open(self.at('run', 'spending.jsonl')) as f: booked = sum(json.loads(l)['usd'] for l in f if l.strip())
        billed = sum(self.jobs.values())
        if booked < billed * ASSET_USD - 1e-9: self.problems.append(f'{booked} booked, {billed * ASSET_USD} billed')
        self.counts['paid'] += billed
        self.counts['lost in flight'] = self.counts.get('lost in flight', 0) + billed - self.prompts
        self.rebuild(True)
        return self.close(server)

    def calls(self):
        """How often each asset was begun."""
        calls = {('b', prompt): n for prompt, n in self.jobs.items()}
        if os.path.isfile(self.at('made.log')):
            for prompt in open(self.at('made.log')).read().splitlines(): calls['a', prompt] = calls.get(('a', prompt), 0) + 1
        return calls

    def after_end(self):
        calls = self.calls()
        for key, n in self.made.items():
            if calls.get(key, 0) > n: self.problems.append(f'{key} was made again')
        recorded = self.query('SELECT method, prompt FROM made WHERE failed_at IS NULL AND hash IS NOT NULL')
        self.made = {key: calls.get(key, 0) for key in recorded}


class Voting(Phase):
    def run(self, kills_max):
        self.bench(12, 'probe')
        if self.start('bench', 'bench.toml', '--run', 'run', '-q').wait(120): self.problems.append('no run to vote on')
        votes, kills = {}, 0
        child = port = None
        def post(path, body):
            origin = f'http://127.0.0.1:{port}'
            request = Request(origin + path, json.dumps(body).encode(), {'content-type': 'application/json', 'origin': origin})
            return json.load(urlopen(request, timeout=10))
        def vote(rater):
            while not self.is_over:
                try:
                    turn = post('/api/next', {'rater': rater})
                    if not turn.get('shown'): return
                    shown = turn['shown']
                    body = {'rater': rater, 'pair': shown['pair'], 'choices': {c['key']: 'left' for c in shown['criteria']}, 'seconds': 1.5, 'ticket': shown.get('ticket')}
                    post('/api/vote', body)
                    votes[rater, shown['pair']] = True
                except OSError: time.sleep(0.01)
        self.is_over = False
        raters = []
        while kills < kills_max:
            child = self.start('serve', 'run', '--port', str(port := port or free_port()))
            if not raters:
                raters = [threading.Thread(target=vote, args=(f'rater{i}',), daemon=True) for i in range(3)]
                for rater in raters: rater.start()
            time.sleep(self.random.uniform(0.1, 0.6))
            if not any(rater.is_alive() for rater in raters): break
            kills += self.strike(child)
            child.wait(60)
            if self.random.random() < 0.25: self.rebuild(False)
        if child is None or child.poll() is not None: child = self.start('serve', 'run', '--port', str(port))
        for rater in raters: rater.join(30)
        self.is_over = True
        child.kill()
        child.wait(60)
        kept = self.query("SELECT judge, prompt, count(*) FROM questions JOIN attempts ON question = number WHERE judge LIKE 'human:%' AND outcome = 'verdict' GROUP BY judge, prompt, a, b")
        if len(kept) < len(votes): self.problems.append(f'{len(votes)} votes acknowledged, {len(kept)} kept')
        if any(n != 1 for _, _, n in kept): self.problems.append('a vote is kept twice')
        self.counts['paid'] += len(votes)
        self.rebuild(True)
        return self.close()


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def main():
    # Programs that are started inherit what is ignored here, as in the background of a shell.
    for heard in (signal.SIGHUP, signal.SIGINT): signal.signal(heard, signal.SIG_DFL)
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('program')
    parser.add_argument('--kills', type=int, default=100, help='over all phases')
    parser.add_argument('--phases', default='asking,batches,generating,voting')
    parser.add_argument('--workers', type=int, default=3)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    program, kinds = os.path.abspath(args.program), {'asking': Asking, 'batches': Batches, 'generating': Generating, 'voting': Voting}
    phases, has_failed = args.phases.split(','), False
    for phase in phases:
        counts, problems, numbers, start = {'kills': 0, 'runs': 0, 'paid': 0, 'rebuilt': 0}, [], iter(range(10**6)), time.time()
        wanted = args.kills // len(phases)
        def work():
            while counts['kills'] < wanted:
                seed = f'{args.seed}/{phase}/{next(numbers)}'
                try: found = kinds[phase](program, seed, counts).run(min(12, wanted - counts['kills']))
                except Exception as e: found = [f'{type(e).__name__}: {e}']
                problems.extend(f'seed {seed}: {problem}' for problem in found)
        workers = [threading.Thread(target=work) for _ in range(args.workers)]
        for worker in workers: worker.start()
        for worker in workers: worker.join()
        print(json.dumps({'phase': phase, **counts, 'seconds': round(time.time() - start), 'problems': problems}), flush=True)
        has_failed |= bool(problems) or not counts['runs']
    sys.exit(has_failed)


if __name__ == '__main__':
    main()
