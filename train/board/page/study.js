// Learning: the mistakes of a game and its puzzles as exercises whose answers are hidden, and proofs of positions.

import { made } from './charts.js';
import { NAMES, WAITS, button, keep, kept } from './show.js';

// A turn that is hardly worse than the best one is right as well. The mistake is not, whatever the search thought of it
// before it was played.
const NEAR = 0.05;
// Positions visited in the first look for puzzles.
const NODES = 400;

// Turns of rule sets without a notation are lists of decisions, which are joined in two ways.
const plain = (turn) => turn.replaceAll(', ', '+');

const exercise = ({ start, turn, then, difficulty }) => {
  const mover = start.split(' ')[2] === 'w' ? 'White' : 'Black';
  return { start, turn, then, right: new Map([[plain(turn), then]]), task: `${mover} to play. One turn is good. Difficulty ${difficulty} of 5.` };
};

export class Study {
  constructor(app, place) {
    Object.assign(this, { app, place });
    this.words = made('p', {});
    this.words.setAttribute('role', 'status');
    const attempt = (act) => (...given) => act(...given).catch(({ message }) => (this.words.textContent = message));
    this.previous = button('Previous', attempt(() => this.go(this.number - 1)));
    this.next = button('Next', attempt(() => this.go(this.number + 1)));
    this.judge = attempt((view) => this.looked(view));
    this.answer = button('Show the answer', () => this.tell(`${this.exercise.turn}. ${this.exercise.then}`, true));
    place.append(this.words, made('div', { className: 'row' }, [this.answer, this.previous, this.next, button('Back to the game', attempt(() => this.end()))]));
  }

  // The mistakes of the review.
  async learn() {
    const turns = this.app.mistakes().filter(({ candidates }) => candidates.length);
    const exercises = turns.map(({ position, player, played, candidates }) => {
      const sign = player === 'white' ? 1 : -1;
      const [best] = candidates;
      const isRight = ({ turn, value }) => plain(turn) !== plain(played) && sign * (best.value - value) < NEAR;
      const right = new Map(candidates.filter(isRight).map(({ turn, line }) => [plain(turn), line.join(' ')]));
      return { start: position, turn: best.turn, then: best.line.join(' '), right, task: `${NAMES[player]} played ${played}. Find a better turn.` };
    });
    await this.begin(exercises);
  }

  // The puzzles of the game, which are looked for first.
  async puzzles() {
    // Those of the game, not of an exercise that is shown in its place.
    if (this.saved) await this.end();
    const { engine, settle, state, adviser } = this.app;
    const now = state.game;
    this.announce('Looking for puzzles in this game …');
    const search = {};
    this.search = search;
    const isWanted = await settle();
    if (!isWanted()) return this.dismiss(search);
    try {
      const wait = () => isWanted() && this.announce(this.words.textContent + WAITS);
      const { puzzles: { puzzles } } = await engine.ask({ puzzles: { game: now.text(now.whole), player: adviser(), nodes: NODES } }, wait);
      if (!isWanted()) return this.dismiss(search);
      const exercises = puzzles.map(exercise);
      if (exercises.length) return await this.begin(exercises);
      this.words.textContent = 'In no position of this game one turn is much better than all others.';
    } catch (error) {
      if (!isWanted()) return this.dismiss(search);
      this.words.textContent = error.message;
    }
    this.app.goOn();
  }

  // Someone who has moved on no longer waits for this search, unless something else is shown in its place.
  dismiss(search) {
    if (this.search === search) this.place.hidden = true;
  }

  // The puzzles that come with the program, from where this browser left them.
  async posed(variant) {
    const { puzzles: { puzzles } } = await this.app.engine.ask({ posed: { variant } });
    if (puzzles.length) return this.begin(puzzles.map(exercise), `puzzle of ${variant}`);
    if (this.saved) await this.end();
    this.search = null;
    this.announce(`No puzzles come with the program for ${variant}: there are some of basic, standard and tournament.`);
  }

  // A position in which to try a rule. The game comes back after it.
  async example(title, start) {
    const saved = this.saved ?? this.app.state;
    this.app.onLook = null;
    await this.app.set(start);
    Object.assign(this, { saved, exercises: [], search: null });
    this.announce(`${title}: a position to try it.`);
  }

  // Says something where exercises are posed, as long as there is none.
  announce(text) {
    this.place.hidden = false;
    this.previous.disabled = this.next.disabled = this.answer.disabled = true;
    this.words.textContent = text;
  }

  // `mark` is the name under which the browser keeps the progress.
  async begin(exercises, mark = null) {
    if (!exercises.length) return;
    await this.go(mark ? Math.min(Number(kept(mark)) || 0, exercises.length - 1) : 0, { exercises, mark });
  }

  // Poses an exercise of the current set, or of another one: as long as it is not shown, nothing has changed.
  async go(number, { exercises, mark } = this) {
    const exercise = exercises[number];
    const saved = this.saved ?? this.app.state;
    await this.app.set(exercise.start);
    Object.assign(this, { saved, exercises, mark, number, exercise, search: null });
    this.app.onLook = this.judge;
    this.place.hidden = false;
    if (mark) keep(mark, number);
    this.tell(this.exercise.task, false);
  }

  tell(text, isSolved) {
    this.isSolved = isSolved;
    this.words.textContent = `Exercise ${this.number + 1} of ${this.exercises.length}: ${text}`;
    this.answer.disabled = isSolved;
    this.previous.disabled = this.number === 0;
    this.next.disabled = this.number + 1 >= this.exercises.length;
  }

  // Judges the turn that was played.
  async looked({ turns }) {
    if (!turns.length || this.isSolved) return;
    const { text } = turns[0];
    const then = this.exercise.right.get(plain(text));
    if (then !== undefined) return this.tell(`${text} is right. ${then}`, true);
    await this.app.set(this.exercise.start);
    this.tell(`${text} is not it. Try again. ${this.exercise.task}`, false);
  }

  async end() {
    this.app.onLook = null;
    this.search = null;
    // A search under way ends, too.
    await this.app.settle();
    if (this.saved) await this.app.restore(this.saved);
    else this.app.goOn();
    this.saved = null;
    this.place.hidden = true;
  }
}

// Says who wins a position, if it can be proven.
export async function solve({ inquire, state }, tell) {
  const words = 'Looking for a proof, for a minute at most …';
  await inquire({ solve: { game: state.game.text() } }, ({ solved }) => tell(proof(solved)), words);
}

function proof({ result, wins, fastest, line_text: line, nodes, seconds }) {
  const cost = `${nodes.toLocaleString('en')} positions, ${seconds.toFixed(1)} s`;
  const cannot = ['White', 'Black'].filter((_, index) => wins[index] === false).map((name) => ` ${name} cannot force a win.`);
  if (result === null) return `Not decided (${cost}).${cannot.join('')} Positions with few pieces in reserve are those that can be.`;
  const how = result === 'draw' ? 'Nobody can force a win' : `${NAMES[result]} wins${fastest === null ? '' : `, in ${fastest} turns at the latest`}`;
  return `Proven: ${how} (${cost}). ${line}`;
}
