// Asks the program: one connection, questions with numbers, answers that may come in parts.

export class Engine {
  constructor(onState) {
    this.onState = onState;
    this.waiting = new Map();
    this.next = 1;
    this.connect();
  }

  connect() {
    const place = new URL('socket', location.href);
    place.protocol = place.protocol.replace('http', 'ws');
    this.socket = new WebSocket(place);
    this.opened = new Promise((resolve) => this.socket.addEventListener('open', resolve));
    this.socket.addEventListener('open', () => this.onState(true));
    this.socket.addEventListener('message', (event) => this.take(JSON.parse(event.data)));
    this.socket.addEventListener('close', () => this.lose());
  }

  // What was asked is answered by nobody any more; the page can ask again as soon as the program is there.
  lose() {
    this.onState(false);
    for (const { reject } of this.waiting.values()) reject(new Error('the program does not answer'));
    this.waiting.clear();
    setTimeout(() => this.connect(), 1000);
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
    await this.opened;
    const id = this.next++;
    const answered = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, part }));
    this.socket.send(JSON.stringify({ id, ask: question }));
    return answered;
  }

  // Ends what takes long, which is then answered with what is known.
  async stop() {
    await this.opened;
    this.socket.send(JSON.stringify({ id: 0 }));
  }
}
