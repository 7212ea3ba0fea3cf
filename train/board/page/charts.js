// Curves over the course of runs, and ratings with their intervals, as SVG with a legend that shows the values.

import { element } from './board.js';

const [ACROSS, DOWN, LEFT, RIGHT, TOP, BOTTOM] = [420, 208, 54, 396, 10, 172];
// They can be told apart by the colour-blind, and on paper; dashes tell them apart as well.
const COLOURS = [1, 2, 3, 4, 5, 6].map((number) => `var(--curve-${number})`);
const DASHES = ['', '6 3', '2 3', '9 3 2 3', '1 2', '12 3'];
export const AXES = { games: 'games', hours: 'hours', core_seconds: 'core-seconds', iterations: 'iterations' };
const SHARES = ['score', 'accuracy', 'endings'];

export function made(name, properties = {}, children = []) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

export function told(value, key) {
  if (value === null || value === undefined) return '–';
  if (SHARES.includes(key)) return `${(100 * value).toFixed(value === 0 || value === 1 ? 0 : 1)} %`;
  const size = Math.abs(value);
  if (size >= 10000) return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(value);
  return size !== 0 && size < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

// A mark of an axis, in the space that there is.
function scaled(value) {
  const text = told(value);
  return text.length > 6 ? value.toExponential().replace('e+0', '') : text;
}

// The duration of a run, in words.
export function lasted(hours) {
  if (hours >= 1) return `${told(hours)} hours`;
  return hours >= 1 / 60 ? `${told(hours * 60)} minutes` : `${told(hours * 3600)} seconds`;
}

// Round marks from at most `low` to at least `high`.
export function marks(low, high, most) {
  const rough = Math.max(high - low, 1e-9) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((step) => step >= rough * 0.999);
  const found = [];
  for (let at = Math.floor(low / step + 1e-6); at <= Math.ceil(high / step - 1e-6); at++) found.push(Number((at * step).toPrecision(12)));
  return found;
}

function range(curves, key) {
  if (SHARES.includes(key)) return [0, 1];
  const values = curves.flatMap(({ points }) => points.map(([, y]) => y));
  if (!values.length) return [0, 1];
  const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  if (key === 'correlation') return [Math.min(0, least), Math.max(1, most)];
  const low = least >= 0 && least < most * 0.6 ? 0 : least;
  return low === most ? [low - Math.abs(low || 1) / 2, most + Math.abs(most || 1) / 2] : [low, most];
}

// Runs by the last parts of their names, as far as these tell them apart.
function named(runs) {
  const last = runs.map(({ name }) => name.split('/').pop());
  return runs.map(({ name }, number) => (last.indexOf(last[number]) === last.lastIndexOf(last[number]) ? last[number] : name));
}

// The curves of one picture in some runs: coloured by run where there are several, else each by itself.
export function curvesOf(runs, key, axis) {
  const names = [];
  const found = [];
  const labels = named(runs);
  const ofRun = (run) => run.charts.find((chart) => chart.key === key)?.curves ?? [];
  const isOne = new Set(runs.flatMap(ofRun).map(({ name }) => name)).size === 1;
  runs.forEach((run, number) => {
    const place = Object.keys(AXES).includes(axis) ? run.x[axis] : run.x.games;
    for (const { name, values, intervals } of ofRun(run)) {
      if (!names.includes(name)) names.push(name);
      const which = names.indexOf(name);
      const points = values.map((value, at) => [place[at], value, ...(intervals?.[at] ?? [])]).filter(([, value]) => value !== null);
      const label = runs.length < 2 ? name : isOne ? labels[number] : `${labels[number]} · ${name}`;
      // Among runs with one curve each, those that share a colour have different dashes.
      const [shade, pattern] = runs.length < 2 ? [which, which] : [number, isOne ? number + Math.floor(number / COLOURS.length) : which];
      found.push({ label, points, colour: COLOURS[shade % COLOURS.length], dash: DASHES[pattern % DASHES.length] });
    }
  });
  return found.filter(({ points }) => points.length);
}

const path = (points) => points.map(([x, y], place) => `${place ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

// A picture with its legend.
export function chart({ key, title, unit }, runs, axis) {
  const curves = curvesOf(runs, key, axis);
  const [low, high] = range(curves, key);
  const grid = marks(low, high, 4);
  const most = curves.flatMap(({ points }) => points).reduce((most, [x]) => Math.max(most, x), 1e-9);
  const x = (value) => LEFT + ((RIGHT - LEFT) * value) / most;
  const y = (value) => BOTTOM - ((BOTTOM - TOP) * (value - grid[0])) / (grid[grid.length - 1] - grid[0]);
  const parts = [];
  const text = (words, at) => {
    const label = element('text', at);
    label.textContent = words;
    parts.push(label);
  };
  for (const value of grid) {
    parts.push(element('path', { class: 'rule', d: `M${LEFT} ${y(value)}H${RIGHT}` }));
    text(SHARES.includes(key) ? `${Math.round(100 * value)} %` : scaled(value), { x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' });
  }
  for (const value of marks(0, most, 5).filter((value) => value <= most)) text(told(value), { x: x(value), y: BOTTOM + 16, 'text-anchor': 'middle' });
  text(AXES[axis], { x: RIGHT, y: BOTTOM + 32, 'text-anchor': 'end' });
  for (const { points, colour, dash } of curves) {
    const bounded = points.filter(([, , least]) => least !== undefined);
    if (bounded.length > 1) {
      const around = [...bounded.map(([at, , least]) => [x(at), y(least)]), ...bounded.toReversed().map(([at, , , most]) => [x(at), y(most)])];
      parts.push(element('path', { d: `${path(around)}Z`, fill: colour, opacity: 0.13 }));
    }
    parts.push(element('path', { d: path(points.map(([at, value]) => [x(at), y(value)])), fill: 'none', stroke: colour, 'stroke-width': 1.8, 'stroke-dasharray': dash, 'stroke-linejoin': 'round' }));
    if (points.length < 25) for (const [at, value] of points) parts.push(element('circle', { cx: x(at), cy: y(value), r: 2, fill: colour }));
  }
  const here = element('path', { class: 'cursor', d: '' });
  const svg = element('svg', { viewBox: `0 0 ${ACROSS} ${DOWN}`, role: 'img', 'aria-label': `${title}, over ${AXES[axis]}` }, [...parts, here]);
  const legend = made('ul', { className: 'legend' }, curves.map(({ label, colour, dash }) => made('li', {}, [sample(colour, dash), made('span', { textContent: label }), made('b')])));
  const tell = (at) => {
    curves.forEach(({ points }, number) => {
      const near = at === null ? points[points.length - 1] : points.reduce((best, point) => (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best));
      legend.children[number].lastChild.textContent = told(near[1], key);
    });
    here.setAttribute('d', at === null ? '' : `M${x(at).toFixed(1)} ${TOP}V${BOTTOM}`);
  };
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((((event.clientX - box.left) / box.width) * ACROSS - LEFT) / (RIGHT - LEFT)) * most;
    tell(Math.max(0, Math.min(most, at)));
  });
  svg.addEventListener('pointerleave', () => tell(null));
  tell(null);
  return made('figure', { className: 'chart' }, [made('figcaption', { textContent: unit ? `${title} (${unit})` : title }), svg, legend]);
}

function sample(colour, dash) {
  return element('svg', { viewBox: '0 0 24 8', class: 'sample', 'aria-hidden': true }, [element('path', { d: 'M0 4H24', stroke: colour, 'stroke-width': 2.5, 'stroke-dasharray': dash })]);
}

// All pictures that one of the runs has.
export function charts(runs, axis) {
  const all = [];
  // The run with the most pictures gives their order.
  for (const run of runs.toSorted((a, b) => b.charts.length - a.charts.length)) for (const picture of run.charts) if (!all.some(({ key }) => key === picture.key)) all.push(picture);
  return all.map((picture) => chart(picture, runs, axis));
}

// The ratings of a ladder: a bar of its interval for each player, the best one first.
export function ladder({ players }) {
  const rated = players.filter(({ elo }) => elo !== null);
  const ends = rated.flatMap(({ elo, interval }) => interval ?? [elo]);
  const grid = marks(Math.min(...ends, 0), Math.max(...ends, 1), 5);
  const [first, last] = [grid[0], grid[grid.length - 1]];
  const [width, left, line] = [640, 230, 20];
  const x = (elo) => left + ((width - left - 24) * (elo - first)) / (last - first);
  const bottom = 24 + line * rated.length;
  const parts = [];
  for (const value of grid) {
    const label = element('text', { x: x(value), y: 14, 'text-anchor': 'middle' });
    label.textContent = value;
    parts.push(element('path', { class: 'rule', d: `M${x(value)} 20V${bottom}` }), label);
  }
  rated.forEach(({ player, elo, interval }, place) => {
    const y = 24 + line * (place + 0.5);
    const name = element('text', { x: left - 8, y: y + 4, 'text-anchor': 'end' });
    name.textContent = player.length > 34 ? `…${player.slice(-33)}` : player;
    const title = element('title');
    title.textContent = `${player}: ${Math.round(elo)}`;
    parts.push(name, element('g', {}, [
      title,
      element('path', { d: `M${x(interval?.[0] ?? elo)} ${y}H${x(interval?.[1] ?? elo)}`, stroke: COLOURS[0], 'stroke-width': 3, opacity: 0.45 }),
      element('circle', { cx: x(elo), cy: y, r: 4, fill: COLOURS[0] }),
    ]));
  });
  return element('svg', { viewBox: `0 0 ${width} ${bottom + 6}`, role: 'img', 'aria-label': 'Ratings in Elo with intervals of 95 %', class: 'ladder' }, parts);
}

// A table of texts, the first row its head.
export function table(caption, [head, ...rows]) {
  const line = (cells, name) => made('tr', {}, cells.map((cell, place) => made(name, { textContent: cell, className: place ? 'number' : '' })));
  const top = line(head, 'th');
  for (const cell of top.children) cell.scope = 'col';
  return made('table', {}, [made('caption', { textContent: caption }), made('thead', {}, [top]), made('tbody', {}, rows.map((row) => line(row, 'td')))]);
}
