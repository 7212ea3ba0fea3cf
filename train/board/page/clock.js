// Clocks as in matches: a time for the game, and an increment at the end of each turn. A player whose flag falls may
// finish the turn within a minute, and loses unless that ends the game.

const LAST_TURN = 60_000;
const PACE = 200;
// Milliseconds left at which a player is warned, and the warning; after these the flag falls.
const WARNINGS = [
  [60_000, 'a minute left'],
  [10_000, 'ten seconds left'],
  [0, 'the flag has fallen: a minute to finish this turn'],
];

export class Clocks {
  // `show(player, text, isRunning, warned)` shows a clock, for which that many warnings were given; `warn(player,
  // text)` gives one, and `over(player)` says whose time is up.
  constructor({ show, warn, over }) {
    Object.assign(this, { show, warn, over });
    setInterval(() => this.tick(), PACE);
  }

  // Begins with a control such as `300+3`, in seconds; without one there are no clocks.
  begin(control) {
    const [time, increment] = control.split('+').map((seconds) => 1000 * Number(seconds));
    this.increment = increment || 0;
    this.start(time ? { white: time, black: time } : null);
  }

  // A void game is replayed, with colours and remaining clocks exchanged.
  exchange() {
    this.start(this.left && { white: this.left.black, black: this.left.white });
  }

  // The state of the clocks, and the return to it; they stand still until the game is followed again.
  get state() {
    this.tick();
    const { left, increment, turns, seen, isDecided } = this;
    return left && { left: { ...left }, increment, turns, seen, isDecided, rested: this.runs ?? this.rested };
  }

  restore(state) {
    this.start(state && { ...state.left });
    const { increment = 0, turns = 0, seen = new WeakSet(), isDecided = false, rested = null } = state ?? {};
    Object.assign(this, { increment, turns, seen, isDecided, rested });
  }

  // Stops the clocks until the game is followed again.
  rest() {
    this.tick();
    this.rested = this.runs ?? this.rested;
    this.runs = null;
    this.draw();
  }

  // Lets the clock that was stopped run again, while another place of the game is looked at.
  goOn() {
    this.run(this.rested);
  }

  run(player) {
    this.runs = player;
    this.rested = null;
    this.at = performance.now();
    this.draw();
  }

  // The game is decided.
  stop() {
    this.isDecided = true;
    this.run(null);
  }

  start(left) {
    this.left = left;
    // The number of turns that have brought their increments, even if some are taken back; and the places where turns
    // were judged.
    this.turns = 0;
    this.seen = new WeakSet();
    this.isDecided = false;
    this.warned = left && { white: warnings(left.white), black: warnings(left.black) };
    this.run(null);
  }

  // Follows the game to where its line ends: whose turn it is there, and whether it is over. If the place is new, a
  // turn was played.
  follow({ turns, to_move: mover }, place, isOver) {
    // Turns that are tried after the game was decided have no time limit.
    if (this.isDecided && !isOver) this.start(null);
    if (!this.left) return;
    this.tick();
    const isNew = !this.seen.has(place);
    this.seen.add(place);
    if (isNew && turns.length) {
      const { player } = turns.at(-1);
      if (this.left[player] <= 0 && !isOver) return this.lose(player);
      if (this.left[player] > 0 && turns.length > this.turns) this.left[player] += this.increment;
    }
    this.turns = Math.max(this.turns, turns.length);
    this.isDecided ||= isOver;
    // No clock runs in the first turn, while a player looks around.
    this.run(this.isDecided || !turns.length ? null : mover);
  }

  tick() {
    if (!this.runs) return;
    const now = performance.now();
    this.left[this.runs] -= now - this.at;
    this.at = now;
    if (this.left[this.runs] <= -LAST_TURN) return this.lose(this.runs);
    this.look(this.runs);
    this.draw();
  }

  // Gives the warnings that have become due since the last look; an increment takes warnings back.
  look(player) {
    const due = warnings(this.left[player]);
    if (due > this.warned[player]) this.warn(player, WARNINGS[due - 1][1]);
    this.warned[player] = due;
  }

  lose(player) {
    this.stop();
    this.over(player);
  }

  draw() {
    for (const player of ['white', 'black']) {
      if (!this.left) {
        this.show(player, '', false, 0);
        continue;
      }
      const left = this.left[player];
      // A page in the background may notice late that a minute is over.
      const seconds = Math.ceil(Math.max(left > 0 ? left : left + LAST_TURN, 0) / 1000);
      const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
      this.show(player, left > 0 ? ` ${text}` : `: the flag has fallen, ${text} for this turn`, this.runs === player, warnings(left));
    }
  }
}

const warnings = (left) => WARNINGS.filter(([most]) => left <= most).length;
