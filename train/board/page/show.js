// Small parts of the page, and how the page shows pieces, clocks and candidates.

export const NAMES = { white: 'White', black: 'Black' };
export const PIECES = { single: 'basic piece', gipf: 'GIPF-piece', loaded: 'piece with a potential', used: 'used potential' };

// What is added to the words of a question that waits.
export const WAITS = ' The program thinks for other pages first.';

export function button(text, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', act);
  return made;
}

export function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

// What the browser keeps for this page, if it is allowed to.
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Then the page forgets it.
  }
}

// Refills a part of the page, which keeps the focus if it has it.
export function refill(part, buttons, chosen = 'button') {
  const hasFocus = part.contains(document.activeElement);
  part.replaceChildren(...buttons);
  if (hasFocus) (part.querySelector(chosen) ?? part.querySelector('button'))?.focus();
}

// Lets a screen reader read out what is not read out where it stands.
export function speak(text) {
  document.getElementById('spoken').textContent = text;
}

// What is chosen, in words.
export function worded({ does, text }) {
  const words = { keep: 'Keep it on the board', take: 'Take it off', leave: 'Leave them', remove: 'Remove them' };
  return words[does] ?? text[0].toUpperCase() + text.slice(1);
}

// The pieces in reserve and those captured, and the potentials in hand, for each player.
export function hands(view) {
  return ['white', 'black'].map((player, index) => {
    const hand = document.createElement('div');
    const name = document.createElement('strong');
    const lost = view.captured?.[index] ?? 0;
    name.textContent = `${NAMES[player]} ${view.reserves[index]}`;
    hand.className = 'hand';
    const words = [`${view.reserves[index]} in reserve`, `${lost} captured`];
    const potentials = view.potentials[index];
    const inHand = potentials ? [`${potentials} ${potentials === 1 ? 'potential' : 'potentials'}`] : [];
    words.push(...inHand);
    hand.setAttribute('role', 'img');
    hand.setAttribute('aria-label', `${NAMES[player]}: ${words.join(', ')}`);
    hand.append(name);
    for (let piece = 0; piece < view.reserves[index] + lost; piece++) {
      const chip = document.createElement('span');
      chip.className = `chip ${player}${piece < view.reserves[index] ? '' : ' lost'}`;
      hand.append(chip);
    }
    for (const text of inHand) {
      const told = document.createElement('span');
      told.className = 'potentials';
      told.textContent = text;
      hand.append(told);
    }
    return hand;
  });
}

// What the players have on the board, for those who do not see it.
export function standing({ pieces }, spots) {
  const told = ({ spot, kind }) => `${spots[spot].name}${kind === 'single' ? '' : ` ${PIECES[kind]}`}`;
  const own = (player) => pieces.filter((piece) => piece.player === player).map(told).sort().join(', ');
  return ['white', 'black'].map((player) => `${NAMES[player]}: ${own(player) || 'nothing on the board'}.`).join(' ');
}

export function showClock(player, text, isRunning, warned) {
  const place = document.getElementById(`clock-${player}`);
  place.hidden = !text;
  place.textContent = `${NAMES[player]}${text}`;
  place.classList.toggle('runs', isRunning);
  place.classList.toggle('low', warned > 0);
  place.classList.toggle('last', warned > 1);
}

// Says it also to those who do not see the clocks.
export function warn(player, text) {
  document.getElementById('warning').textContent = `${NAMES[player]}: ${text}`;
}

// Lets people choose the light or the dark theme; until then it is the system's.
export function offerTheme(place) {
  const root = document.documentElement;
  // Without `light-dark` there are no dark colours.
  place.hidden = !CSS.supports('color', 'light-dark(red, red)');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const name = () => (place.textContent = isDark() ? 'Light' : 'Dark');
  const chosen = kept('theme');
  if (chosen) root.dataset.theme = chosen;
  place.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    keep('theme', root.dataset.theme);
    name();
  });
  system.addEventListener('change', name);
  name();
}

const signed = (value) => `${value >= 0 ? '+' : ''}${value.toFixed(2)}`;

export function verdict({ value, proven, nodes, seconds }) {
  const chance = value === null ? '' : `White expects ${signed(value)}`;
  const proof = proven === null ? '' : ` (proven: ${proven > 0 ? 'White wins' : proven < 0 ? 'Black wins' : 'nobody wins'})`;
  const rate = Math.round(nodes / Math.max(seconds, 0.001)).toLocaleString('en');
  return `${chance}${proof} · ${nodes.toLocaleString('en')} positions, ${rate} a second`;
}

// Shows candidates in the rows of a table. The rows stay while their content changes, so that they can be clicked and keep the
// focus while somebody thinks.
export function showCandidates(rows, candidates, play, preview) {
  while (rows.children.length < candidates.length) rows.append(row(play, preview));
  while (rows.children.length > candidates.length) rows.lastElementChild.remove();
  candidates.forEach((candidate, place) => fill(rows.children[place], candidate, preview));
}

// The row under the pointer.
let under = null;

function row(play, preview) {
  const made = document.createElement('tr');
  for (const content of [button('', () => play(made.action)), '', '']) made.insertCell().append(content);
  made.addEventListener('pointerenter', () => {
    under = made;
    preview(made.action);
  });
  made.addEventListener('pointerleave', () => {
    under = null;
    preview(null);
  });
  return made;
}

function fill(row, { action, text, share, value }, preview) {
  row.action = action;
  row.querySelector('button').textContent = text;
  row.cells[1].textContent = `${Math.round(share * 100)} %`;
  row.cells[2].textContent = value === null ? '–' : signed(value);
  // What is previewed is what a click would do now.
  if (row === under) preview(action);
}
