// The expected result over the game, as a curve; a click on it goes there.

import { element } from './board.js';

const WIDTH = 300;
const HEIGHT = 80;

export class Graph {
  constructor(svg, go) {
    this.svg = svg;
    this.go = go;
  }

  // Points are `{ at, value, drop }` by number of actions; `here` and `length` are numbers of actions.
  show(points, here, length) {
    const x = (at) => (length ? (at / length) * WIDTH : 0);
    const y = (value) => HEIGHT / 2 - (value * HEIGHT) / 2.1;
    const parts = [element('line', { class: 'middle', x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 })];
    const known = points.filter((point) => point.value !== null);
    if (known.length) {
      const curve = known.map(({ at, value }, place) => `${place ? 'L' : 'M'}${x(at)} ${y(value)}`).join('');
      parts.push(element('path', { class: 'curve', d: curve }));
    }
    for (const { at, value } of known.filter((point) => point.drop)) {
      parts.push(element('circle', { class: 'drop', cx: x(at), cy: y(value), r: 3 }));
    }
    parts.push(element('line', { class: 'here', x1: x(here), x2: x(here), y1: 0, y2: HEIGHT }));
    const reach = element('rect', { class: 'reach', x: 0, y: 0, width: WIDTH, height: HEIGHT });
    reach.addEventListener('click', (event) => {
      const box = this.svg.getBoundingClientRect();
      this.go(Math.round(((event.clientX - box.left) / box.width) * length));
    });
    this.svg.setAttribute('preserveAspectRatio', 'none');
    this.svg.replaceChildren(...parts, reach);
  }
}
