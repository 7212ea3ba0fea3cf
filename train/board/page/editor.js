// Sets a position up by mouse or keys, and hands it over as a position text.

import { element } from './board.js';
import { made } from './charts.js';
import { NAMES, PIECES, button } from './show.js';

const MOST_POTENTIALS = 6;
const LETTERS = { single: 'S', gipf: 'G', loaded: 'Z', used: 'J' };

export class Editor {
  // `read(text)` shows a position, if the text is one; that and `leave()` close the editor.
  constructor({ board, place, read, leave }) {
    Object.assign(this, { board, place, read, leave });
  }

  open(view) {
    // The text is that of the turn's start, and the pieces are those that stand there now.
    const [variant, , side, , , rights] = view.gpn.split(' ');
    const { potentials, reserves: [white, black] } = view;
    Object.assign(this, { variant, rights, potentials });
    this.pieces = new Map(view.pieces.map((piece) => [piece.spot, piece]));
    this.view = { ...view, legal: [], at_stake: [], last: null, pushed: [] };
    const kinds = ['single', ...(/^basic/.test(variant) ? [] : ['gipf']), ...(/zertz/.test(variant) ? ['loaded', 'used'] : [])];
    const chosen = [...['white', 'black'].flatMap((player) => kinds.map((kind) => ({ player, kind }))), null];
    const picks = chosen.map((piece, number) => {
      const pick = button(piece ? `${NAMES[piece.player]} ${PIECES[piece.kind]}` : 'Nothing', () => {
        this.piece = piece;
        for (const other of picks) other.setAttribute('aria-pressed', String(other === pick));
      });
      pick.setAttribute('aria-pressed', String(number === 0));
      return pick;
    });
    this.piece = chosen[0];
    this.side = made('select', {}, [new Option('White', 'w'), new Option('Black', 'b')]);
    this.side.value = side;
    this.reserves = [white, black].map((count) => made('input', { type: 'number', min: 0, max: 40, value: count, required: true }));
    // The browser says which number is missing, or none.
    const done = button('Use this position', () => this.reserves.every((input) => input.reportValidity()) && this.use());
    for (const field of [this.side, ...this.reserves]) field.addEventListener('input', () => (this.isChanged = true));
    const empty = button('Empty the board', () => {
      this.pieces.clear();
      this.isChanged = true;
      this.draw();
    });
    const back = button('Leave it', () => {
      this.isDone = true;
      this.leave();
    });
    const palette = made('div', { className: 'row' }, picks);
    palette.setAttribute('role', 'group');
    palette.setAttribute('aria-label', 'What a click puts on a spot');
    this.place.replaceChildren(
      palette,
      made('div', { className: 'row' }, [
        made('label', {}, ['To move ', this.side]),
        made('label', {}, ['White’s reserve ', this.reserves[0]]),
        made('label', {}, ['Black’s reserve ', this.reserves[1]]),
      ]),
      made('div', { className: 'row' }, [done, empty, back]),
    );
    this.show();
  }

  // Shows it, with what was set up before it was closed.
  show() {
    this.place.hidden = false;
    this.layer = element('g', { class: 'edit' }, this.board.places.spots.map((spot, index) => this.spot(spot, index)));
    this.board.playable = false;
    this.board.svg.append(this.layer);
    this.draw();
  }

  // Hands the position over. It is set up for good only if it is one.
  async use() {
    this.isDone = true;
    this.isDone = await this.read(this.text());
  }

  // Whether something was set up that was neither used nor left.
  get isUnfinished() {
    return Boolean(this.isChanged) && !this.isDone;
  }

  spot({ x, y }, index) {
    const node = element('g', { class: 'place', role: 'button', tabindex: 0 }, [element('circle', { class: 'reach', cx: x, cy: y, r: 0.46 })]);
    const put = () => {
      const { player, kind } = this.pieces.get(index) ?? {};
      const isSame = this.piece && player === this.piece.player && kind === this.piece.kind;
      if (this.piece && !isSame) this.pieces.set(index, { ...this.piece, spot: index });
      else this.pieces.delete(index);
      this.isChanged = true;
      this.draw();
    };
    node.addEventListener('click', put);
    node.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      if (!event.repeat) put();
    });
    return node;
  }

  draw() {
    this.view.pieces = [...this.pieces.values()];
    this.board.show(this.view);
    [...this.layer.children].forEach((node, spot) => node.setAttribute('aria-label', this.label(spot)));
  }

  // A spot, with the piece on it.
  label(spot) {
    const piece = this.pieces.get(spot);
    return `spot ${this.board.places.spots[spot].name}${piece ? `: ${NAMES[piece.player]} ${PIECES[piece.kind]}` : ''}`;
  }

  // The position text: columns from left to right, each from its lowest spot up.
  text() {
    const columns = new Map();
    const order = this.board.places.spots.map(({ name }, index) => ({ column: name[0], row: Number(name.slice(1)), index }));
    order.sort((a, b) => a.column.localeCompare(b.column) || a.row - b.row);
    for (const { column, index } of order) {
      const piece = this.pieces.get(index);
      const letter = piece ? (piece.player === 'white' ? LETTERS[piece.kind] : LETTERS[piece.kind].toLowerCase()) : '.';
      columns.set(column, (columns.get(column) ?? '') + letter);
    }
    const board = [...columns.values()].map((column) => column.replace(/\.+/g, (run) => run.length)).join('/');
    return [this.variant, board, this.side.value, ...this.reserves.map(({ value }) => Number(value)), this.entries(), ...this.hands()].join(' ');
  }

  // Who may still bring in GIPF-pieces: nobody who has brought in something else.
  entries() {
    const others = [...this.pieces.values()].filter(({ kind }) => kind !== 'gipf');
    const isOut = (right) => others.some(({ player }) => player === (right === 'G' ? 'white' : 'black'));
    return [...this.rights].filter((right) => !isOut(right)).join('') || '-';
  }

  // The potentials in hand: at most as many as a player may have besides those on the board.
  hands() {
    const onBoard = (player) => [...this.pieces.values()].filter((piece) => piece.player === player && /loaded|used/.test(piece.kind)).length;
    return this.potentials.map((count, index) => Math.max(0, Math.min(count, MOST_POTENTIALS - onBoard(['white', 'black'][index]))));
  }

  get isOpen() {
    return Boolean(this.layer);
  }

  // Returns whether it was open.
  close() {
    const wasOpen = this.isOpen;
    this.layer?.remove();
    this.layer = null;
    this.place.hidden = true;
    return wasOpen;
  }
}
