// What can be chosen besides a place on the board: the kind of the next piece, and answers to the questions of a turn.

import { button, worded } from './show.js';

const KINDS = { single: 'a basic piece', gipf: 'a GIPF-piece', loaded: 'a piece with a potential' };

// Shows the choices of a position, as far as the board is open; `play` plays an action.
export function showChoices(place, view, board, play) {
  place.replaceChildren(...(board.isOpen ? [...kinds(view, board), ...answers(view, board, play)] : []));
}

// The kinds of pieces that can be pushed, if there are several; the board keeps the one that was chosen.
function kinds({ legal }, board) {
  const kinds = [...new Set(legal.filter(({ does }) => does === 'push').map(({ piece }) => piece))];
  if (kinds.length < 2) return [];
  if (!kinds.includes(board.kind)) board.kind = kinds[0];
  const choose = (kind) => {
    board.kind = kind;
    board.light();
    parts.forEach((part, index) => part.setAttribute('aria-pressed', String(kinds[index] === kind)));
  };
  const parts = kinds.map((kind) => button(KINDS[kind], () => choose(kind)));
  choose(board.kind);
  return parts;
}

function answers({ legal }, board, play) {
  return legal.filter(({ does }) => !['push', 'jump'].includes(does)).map((legal) => {
    const made = button(worded(legal), () => play(legal.action));
    for (const name of ['pointerenter', 'focus']) made.addEventListener(name, () => board.preview(legal));
    for (const name of ['pointerleave', 'blur']) made.addEventListener(name, () => board.preview(null));
    return made;
  });
}
