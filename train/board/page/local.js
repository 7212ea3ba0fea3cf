// The program inside the page: one worker for questions that are answered at once, another for long ones. A worker that
// is computing hears nothing, so a long question is ended together with its worker, and a fresh one takes its place.

// The questions that take long, as the program has them.
const LONG = ['move', 'analyse', 'review', 'puzzles', 'solve'];
// The longest time that a player thinks about one question.
const PATIENCE = 600_000;

const near = (name) => new URL(name, import.meta.url);

export class Way {
  constructor(heard) {
    this.heard = heard;
    // The files that were fetched.
    this.files = new Map();
    this.opened = this.begin();
  }

  async begin() {
    try {
      this.program ??= await compiled(near('gipf.wasm'));
    } catch (error) {
      if (error instanceof WebAssembly.CompileError) this.heard.lost(false, 'This browser cannot run the program: expected one of 2023 or later.');
      else this.lose();
      throw error;
    }
    for (const name of ['quick', 'thinker']) if (!this[name]) this.renew(name);
    this.heard.opened();
  }

  // Something could not be fetched: open questions get no answer, and it is tried again.
  lose() {
    this.forget();
    this.heard.lost(false);
    this.opened = new Promise((resolve) => setTimeout(resolve, 1000)).then(() => this.begin());
    // The error reaches those who ask.
    this.opened.catch(() => {});
  }

  // A worker could not be fetched. Games go on without one that thinks; it is fetched again when it is next needed.
  fail(name) {
    this[name].terminate();
    this[name] = null;
    const { asked } = this;
    if (name === 'quick') {
      if (asked) this.renew('thinker');
      return this.lose();
    }
    this.forget();
    if (asked) this.heard.take({ id: asked.id, done: true, error: 'the part of the program that thinks could not be fetched' });
  }

  // Replaces a worker by a fresh one.
  renew(name) {
    this[name]?.terminate();
    const worker = new Worker(near('worker.js'), { type: 'module' });
    worker.addEventListener('message', ({ data }) => worker === this[name] && this.hear(name, data));
    worker.addEventListener('error', () => worker === this[name] && this.fail(name));
    worker.postMessage({ program: this.program });
    this[name] = worker;
  }

  hear(name, { needs, question, broken, ...message }) {
    if (needs) return this.fetch(this[name], needs, question);
    if (message.id === this.asked?.id) {
      if (message.done) this.forget();
      else if ('thoughts' in message.answer) this.asked.known = message.answer;
    }
    this.heard.take(message);
    if (broken) this.renew(name);
  }

  forget() {
    clearTimeout(this.timer);
    this.asked = null;
  }

  // Gives a worker the file that it lacks, and asks again.
  async fetch(worker, name, question) {
    if (!this.files.has(name)) this.files.set(name, fetched(near(`files/${name}`)));
    try {
      worker.postMessage({ file: { name, bytes: await this.files.get(name) } });
      worker.postMessage({ question });
    } catch (error) {
      this.files.delete(name);
      if (question.id === this.asked?.id) this.forget();
      this.heard.take({ id: question.id, done: true, error: error.message });
    }
  }

  send(question) {
    if (!LONG.some((name) => name in question.ask)) return this.quick.postMessage({ question });
    this.stop();
    if (!this.thinker) this.renew('thinker');
    this.asked = { id: question.id, known: null };
    this.timer = setTimeout(() => this.stop(), PATIENCE);
    this.thinker.postMessage({ question });
  }

  // The last partial answer becomes the final one.
  stop() {
    if (!this.asked) return;
    const { id, known } = this.asked;
    this.forget();
    this.renew('thinker');
    this.heard.take(known ? { id, done: true, answer: known } : { id, done: true, error: 'stopped before there was an answer' });
  }
}

async function fetched(place) {
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place.pathname}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

// Compiles it while it is fetched, if the host states its type.
async function compiled(place) {
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place.pathname}: ${response.status} ${response.statusText}`);
  if (response.headers.get('content-type') === 'application/wasm') return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
