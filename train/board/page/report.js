// A self-contained file of curves and games.

import { Board, element } from './board.js';
import { AXES, charts, lasted, made, told } from './charts.js';
import { Graph } from './graph.js';

const data = JSON.parse(document.getElementById('data').textContent);

function runsOf(runs) {
  const cards = runs.map(({ name, variant, iterations, planned, x, findings }) => {
    const last = findings[findings.length - 1];
    const words = `${variant}, iteration ${iterations} of ${planned}, ${told(x.games[x.games.length - 1] ?? 0)} games in ${lasted(x.hours[x.hours.length - 1] ?? 0)}`;
    return made('article', { className: 'card' }, [
      made('strong', { textContent: name }),
      made('span', { textContent: words }),
      ...(last ? [made('span', { className: 'finding', textContent: `Watch, iteration ${last[0]}: ${last[1]}` })] : []),
    ]);
  });
  const pictures = made('div', { className: 'charts' });
  const select = made('select', {}, Object.entries(AXES).map(([value, text]) => new Option(text, value)));
  const draw = () => pictures.replaceChildren(...charts(runs, select.value));
  select.addEventListener('change', draw);
  draw();
  return [...cards, made('label', {}, ['Over ', select]), pictures];
}

const nothingLegal = { legal: [], potentials: [0, 0] };

function gameOf({ about, frames }, number) {
  const svg = element('svg', { viewBox: '-5.2 -5.1 10.4 10.2', class: 'board', role: 'img', 'aria-label': `The board, ${about}` });
  const words = made('p', {});
  words.setAttribute('role', 'status');
  const curve = element('svg', { viewBox: '0 0 300 80', class: 'graph', role: 'group', 'aria-label': 'Expected result: up is good for White' });
  const slider = made('input', { type: 'range', min: 0, max: frames.length - 1, value: 0 });
  slider.setAttribute('aria-label', `Place in game ${number + 1}`);
  const board = new Board(svg, data.board, () => {});
  const graph = new Graph(curve, (at) => go(at));
  const points = frames.map(({ value, is_mistake: drop }, at) => ({ at, value, drop }));
  let here = 0;
  const go = (to) => {
    const before = here;
    here = Math.max(0, Math.min(frames.length - 1, to));
    const frame = frames[here];
    board.mover = frames[Math.max(0, here - 1)].to_move;
    board.show({ ...frame, ...nothingLegal }, here === before + 1 ? frame.played : null);
    words.textContent = `${here} of ${frames.length - 1}: ${frame.text}${frame.remark ? ` — ${frame.remark}` : ''} (reserves: White ${frame.reserves[0]}, Black ${frame.reserves[1]})`;
    slider.value = here;
    if (points.some(({ value }) => value !== null)) graph.show(points, here, frames.length - 1);
  };
  const step = (text, label, to) => {
    const button = made('button', { type: 'button', textContent: text });
    button.setAttribute('aria-label', label);
    button.addEventListener('click', () => go(to()));
    return button;
  };
  slider.addEventListener('input', () => go(Number(slider.value)));
  go(0);
  const buttons = [
    step('|◀', 'To the start', () => 0),
    step('◀', 'Back', () => here - 1),
    step('▶', 'On', () => here + 1),
    step('▶|', 'To the end', () => frames.length - 1),
  ];
  const parts = [made('h2', { textContent: about }), svg, words, made('div', { className: 'row' }, buttons), slider];
  return made('section', { className: 'replay' }, points.some(({ value }) => value !== null) ? [...parts, curve] : parts);
}

document.getElementById('report').append(
  ...(data.runs.length ? runsOf(data.runs) : []),
  made('div', { className: 'replays' }, data.games.map(gameOf)),
);
