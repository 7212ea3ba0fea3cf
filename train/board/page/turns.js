// The turns of the line that is shown, as a list in which to go back and forth.

import { lossOf } from './review.js';
import { button, refill } from './show.js';

export class Turns {
  // `go(count)` goes to the place after this many actions.
  constructor(list, go) {
    Object.assign(this, { list, go, key: '', turns: [] });
  }

  get count() {
    return this.turns.length;
  }

  // The turns of another line, which the key tells apart.
  take(key, turns) {
    Object.assign(this, { key, turns });
  }

  // Shows the turns and marks the mistakes and the place after `here` actions.
  show(here, mistakes) {
    const losses = new Map(mistakes.map((turn) => [turn.end, turn]));
    refill(this.list, this.turns.map((turn, index) => this.item(turn, index, here, losses.get(turn.end))), '[aria-current]');
    reveal(this.list, this.list.querySelector('[aria-current]'));
  }

  // The record of the line as the page alone can write it: its start, its turns with their numbers, and the actions that
  // these do not show. Push-off has no notation, and the turn in which nothing can be done no text.
  record({ variant, start, actions, result, cause }) {
    const told = variant === 'push-off' ? [] : this.turns.filter(({ text }) => text !== '-');
    const left = actions.slice(told.at(-1)?.end ?? 0);
    const tags = Object.entries({ Variant: variant, Start: start, Decisions: left.join(' '), Termination: cause }).filter(([, value]) => value);
    // White's place is empty where Black begins.
    const texts = [...(told[0]?.player === 'black' ? [''] : []), ...told.map(({ text }) => text)];
    const pairs = texts.flatMap((text, place) => (place % 2 ? [] : `${place / 2 + 1}.${texts.slice(place, place + 2).join('/')}`));
    return [...tags.map(([name, value]) => `[${name} "${value}"]`), '', pairs.join(' '), result, ''].join('\n');
  }

  item({ text, end }, index, here, mistake) {
    const item = document.createElement('li');
    const made = button(`${this.number(index)}${text}`, () => this.go(end));
    if (end === here) made.setAttribute('aria-current', 'true');
    if (mistake) {
      made.className = `bad ${mistake.severity}`;
      made.title = lossOf(mistake);
    }
    item.append(made);
    return item;
  }

  // The number before a turn: White's have one, and the first of a game that Black begins.
  number(index) {
    const place = index + Number(this.turns[0].player === 'black');
    if (place % 2 && index) return '';
    return `${Math.floor(place / 2) + 1}. ${place % 2 ? '… ' : ''}`;
  }

  // The number of actions at the end of the turn before or after a place, in a line of `length` actions.
  from(step, here, length) {
    const ends = [0, ...this.turns.map(({ end }) => end)];
    return step < 0 ? Math.max(0, ...ends.filter((end) => end < here)) : Math.min(...ends.filter((end) => end > here), length);
  }

  // Who played the turn that goes on after this many actions.
  playerAfter(count) {
    return this.turns.find(({ end }) => end > count)?.player;
  }
}

// Scrolls a list, and nothing around it, until one of its parts is visible.
function reveal(list, part) {
  if (!part) return;
  const [at, box] = [part, list].map((element) => element.getBoundingClientRect());
  list.scrollTop += Math.min(0, at.top - box.top) || Math.max(0, at.bottom - box.bottom);
}
