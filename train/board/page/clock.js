// Clocks as in matches: a time for the game, and an increment at the end of each turn. Whoever's flag falls may finish the turn,
// within a minute, and has lost unless that ends the game.

const LAST_TURN = 60_000;
const PACE = 200;

export class Clocks {
  // `show(player, text, isRunning)` shows a clock, `over(player)` says whose time is up.
  constructor(show, over) {
    Object.assign(this, { show, over });
    setInterval(() => this.tick(), PACE);
  }

  // Begins with a control such as `300+3`, in seconds; without one there are no clocks.
  begin(control) {
    const [time, increment] = control.split('+').map((seconds) => 1000 * Number(seconds));
    this.left = time ? { white: time, black: time } : null;
    this.increment = increment || 0;
    this.turns = 0;
    this.runs = null;
    this.draw();
  }

  // Follows the game to its newest position: whose turn it is, and whether it is over.
  follow({ turns, to_move: mover }, isOver) {
    if (!this.left) return;
    this.tick();
    for (const { player } of turns.slice(this.turns)) {
      if (this.left[player] > 0) this.left[player] += this.increment;
      else if (!isOver) return this.lose(player);
    }
    this.turns = turns.length;
    // The first turn is made without haste, while a player looks around.
    this.runs = isOver || !turns.length ? null : mover;
    this.at = performance.now();
    this.draw();
  }

  tick() {
    if (!this.runs) return;
    const now = performance.now();
    this.left[this.runs] -= now - this.at;
    this.at = now;
    if (this.left[this.runs] <= -LAST_TURN) this.lose(this.runs);
    else this.draw();
  }

  lose(player) {
    this.runs = null;
    this.draw();
    this.over(player);
  }

  draw() {
    for (const player of ['white', 'black']) {
      if (!this.left) {
        this.show(player, '', false);
        continue;
      }
      const left = this.left[player];
      const seconds = Math.ceil((left > 0 ? left : left + LAST_TURN) / 1000);
      const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
      this.show(player, left > 0 ? ` ${text}` : `: the flag has fallen, ${text} for this turn`, this.runs === player);
    }
  }
}
