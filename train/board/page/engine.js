// Asks the program: questions with numbers, answers that may come in parts. The program is a server or, if the page
// says so, a worker of the page; no other module knows which.

// Whether the page is its own program: its host answers no questions, so there are no runs to look at.
export const ALONE = document.documentElement.dataset.engine === 'worker';

// The longest question that the program hears, in bytes: longer than any game. A longer one would end the conversation.
const LONGEST = 2 ** 18;

// The program reads no halves of characters, as a text that was cut may have.
const wellFormed = (_, value) => (typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value);

// `onState(isConnected, wasConnected, why)` is called when a connection is made, is lost, or could not be made, with
// the reason if it is known.
export class Engine {
  constructor(onState) {
    this.onState = onState;
    this.waiting = new Map();
    this.next = 1;
    this.way = this.open();
  }

  async open() {
    const Way = ALONE ? await this.local() : Socket;
    return new Way({ opened: () => this.onState(true, false), take: (message) => this.take(message), lost: (wasConnected, why) => this.lose(wasConnected, why) });
  }

  // A browser may remember that a file could not be fetched: by another name it is asked for again.
  async local() {
    for (let tries = 0; ; tries++) {
      try {
        return (await import(tries ? `./local.js?${tries}` : './local.js')).Way;
      } catch {
        this.onState(false, false);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  // Open questions get no answer any more; the page can ask again as soon as the program is there.
  lose(wasConnected, why) {
    this.onState(false, wasConnected, why);
    for (const { reject } of this.waiting.values()) reject(new Error('the program does not answer'));
    this.waiting.clear();
  }

  take({ id, done, answer, error }) {
    const question = this.waiting.get(id);
    if (!question) return;
    if (error !== undefined) question.reject(new Error(error));
    else if (done) question.resolve(answer);
    else question.part(answer);
    if (done) this.waiting.delete(id);
  }

  // Resolves with the last answer; `part` is called with those before it.
  async ask(question, part = () => {}) {
    const id = this.next++;
    const text = JSON.stringify({ id, ask: question }, wellFormed);
    if (new Blob([text]).size > LONGEST) throw new Error('This is longer than any game: expected the record of one.');
    const way = await this.way;
    await way.opened;
    const answered = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, part }));
    way.send(JSON.parse(text));
    return answered;
  }

  // Ends a long question, which is then answered with what is known.
  async stop() {
    const way = await this.way;
    await way.opened;
    way.stop();
  }
}

// One connection with the server; another one when it is lost.
class Socket {
  constructor(heard) {
    this.heard = heard;
    this.expect();
    this.connect();
  }

  // A question without a connection waits for the next one, whichever attempt makes it.
  expect() {
    this.isOpen = false;
    this.opened = new Promise((resolve) => (this.resolve = resolve));
  }

  connect() {
    const place = new URL('socket', location.href);
    place.protocol = place.protocol.replace('http', 'ws');
    this.socket = new WebSocket(place);
    this.socket.addEventListener('open', () => {
      this.isOpen = true;
      this.resolve();
      this.heard.opened();
    });
    this.socket.addEventListener('message', (event) => this.heard.take(JSON.parse(event.data)));
    this.socket.addEventListener('close', () => {
      const wasOpen = this.isOpen;
      if (wasOpen) this.expect();
      this.heard.lost(wasOpen);
      setTimeout(() => this.connect(), 1000);
    });
  }

  send(question) {
    this.socket.send(JSON.stringify(question));
  }

  stop() {
    this.send({ id: 0 });
  }
}
