// The board as SVG: shows a position, and reports which action a person has chosen.

const SVG = 'http://www.w3.org/2000/svg';

export function element(name, attributes = {}, children = []) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The spot behind another one on the way of a push; none behind the far edge.
function behind(ray, spot) {
  return ray[ray.indexOf(spot) + 1];
}

// The actions that leave the pieces in question where they are.
const STAYS = ['keep', 'leave'];

// The pieces stay under the pointer's layer, so that a click reaches the places.
export class Board {
  constructor(svg, places, choose) {
    this.svg = svg;
    this.places = places;
    this.choose = choose;
    this.pieces = new Map();
    this.dot = null;
    this.held = null;
    this.kind = 'single';
    this.isOpen = false;
    this.layers = {};
    for (const name of ['grid', 'traces', 'pieces', 'marks', 'advice', 'dots', 'targets']) {
      this.layers[name] = element('g', { class: name });
      svg.append(this.layers[name]);
    }
    this.drawGrid();
    svg.addEventListener('keydown', (event) => this.key(event));
    svg.addEventListener('pointerup', (event) => event.button === 0 && this.drop(event));
    // A click without a pointer: by a screen reader, or by voice control.
    svg.addEventListener('click', ({ target, detail }) => detail === 0 && this.press(target));
  }

  drawGrid() {
    const { dots, spots, lines } = this.places;
    for (const [from, to] of lines) {
      const [a, b] = [dots[from], dots[to]];
      this.layers.grid.append(element('line', { class: 'grid', x1: a.x, y1: a.y, x2: b.x, y2: b.y }));
    }
    for (const { x, y } of spots) this.layers.grid.append(element('circle', { class: 'spot', cx: x, cy: y, r: 0.06 }));
    this.dots = dots.map((dot, index) => this.drawDot(dot, index));
  }

  drawDot({ name, x, y }, index) {
    const away = 0.42 / Math.hypot(x, y);
    const label = element('text', { x: x + x * away, y: y + y * away });
    label.textContent = name;
    const mark = element('circle', { class: 'mark', cx: x, cy: y, r: 0.11 });
    const reach = element('circle', { class: 'reach', cx: x, cy: y, r: 0.46 });
    const group = element('g', { class: 'dot', 'data-dot': index }, [mark, label, reach]);
    group.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      reach.releasePointerCapture?.(event.pointerId);
      // A dot that is already chosen may be dragged from: it is closed if it is released where it is.
      this.held = this.dot === index ? index : null;
      if (this.held === null) this.open(index);
    });
    this.layers.dots.append(group);
    return group;
  }

  // Shows a position. `played` is the action that led to it, if pieces are to move.
  show(view, played = null) {
    this.view = view;
    this.dot = null;
    if (played?.does === 'push') this.slide(played);
    this.from = null;
    this.drawPieces();
    this.drawMarks();
    this.advise([]);
    this.light();
  }

  // Lets the pieces that a push moves keep their shapes, so that they slide, and brings in the new one from its dot, or
  // from the one that was chosen instead.
  slide({ action, entry, spots, piece }) {
    const { ray } = this.places.entries[entry];
    const { dot } = this.from?.action === action ? this.from : this.places.entries[entry];
    for (const spot of spots.toReversed()) {
      const group = this.pieces.get(spot);
      if (!group) continue;
      const to = behind(ray, spot);
      this.pieces.delete(spot);
      if (to === undefined) {
        group.remove();
        continue;
      }
      this.take(to, group);
      this.put(group, this.places.spots[to]);
    }
    const group = this.shape({ player: this.mover, kind: piece });
    this.put(group, this.places.dots[dot]);
    this.layers.pieces.append(group);
    group.getBoundingClientRect();
    this.take(ray[0], group);
    this.put(group, this.places.spots[ray[0]]);
  }

  // Puts a piece on a spot, and removes whatever was drawn there.
  take(spot, group) {
    this.pieces.get(spot)?.remove();
    this.pieces.set(spot, group);
  }

  drawPieces() {
    const there = new Map(this.view.pieces.map((piece) => [piece.spot, piece]));
    for (const [spot, group] of this.pieces) {
      const piece = there.get(spot);
      if (!piece || group.dataset.look !== `${piece.player} ${piece.kind}`) {
        group.remove();
        this.pieces.delete(spot);
      }
    }
    for (const [spot, piece] of there) {
      if (this.pieces.has(spot)) continue;
      const group = this.shape(piece);
      this.put(group, this.places.spots[spot]);
      this.layers.pieces.append(group);
      this.pieces.set(spot, group);
    }
    this.mover = this.view.to_move;
  }

  put(group, { x, y }) {
    group.style.transform = `translate(${x}px, ${y}px)`;
  }

  shape({ player, kind }) {
    const group = element('g', { class: `piece ${player}` });
    group.dataset.look = `${player} ${kind}`;
    const disc = (y, r = 0.4) => group.append(element('circle', { cx: 0, cy: y, r }));
    const wedge = (size, name) => group.append(element('path', { class: name, d: `M0 ${-size}L${size * 0.87} ${size / 2}L${-size * 0.87} ${size / 2}Z` }));
    if (kind === 'gipf') {
      disc(0.08);
      disc(-0.05);
      group.append(element('circle', { class: 'core', cx: 0, cy: -0.05, r: 0.2 }));
    } else if (kind === 'used') {
      // With no disc below, its own colour says whose it is.
      wedge(0.32, 'alone');
    } else {
      disc(0);
      if (kind === 'loaded') wedge(0.22, 'top');
    }
    return group;
  }

  drawMarks() {
    const { spots } = this.places;
    const ring = (className, spot, r) => element('circle', { class: className, cx: spots[spot].x, cy: spots[spot].y, r });
    const marks = this.view.at_stake.map((spot) => ring('stake', spot, 0.46));
    if (this.view.last !== null) marks.push(ring('recent', this.view.last, 0.43));
    this.layers.marks.replaceChildren(...marks);
    const chain = this.view.last === null ? [] : [this.view.last, ...this.view.pushed];
    const trace = chain.length > 1 && this.trace(spots[chain[0]], spots[chain[chain.length - 1]]);
    this.layers.traces.replaceChildren(...(trace ? [trace] : []));
  }

  trace(from, to) {
    return element('line', { class: 'trace', x1: from.x, y1: from.y, x2: to.x, y2: to.y });
  }

  // Shows advice: actions with their shares, as labels at the entries.
  advise(candidates) {
    const parts = [];
    for (const { action, share } of candidates) {
      const legal = this.view.legal.find((legal) => legal.action === action);
      if (!legal || share < 0.01) continue;
      const [from, to] = this.way(legal);
      if (!from) continue;
      const percent = Math.round(share * 100);
      const text = element('text', { x: to.x, y: to.y, class: percent < 100 ? 'short' : 'long' });
      text.textContent = percent;
      const line = element('line', { x1: from.x, y1: from.y, x2: to.x, y2: to.y, 'stroke-width': 0.05 + share * 0.2 });
      const group = element('g', { class: 'advice' }, [line, element('circle', { cx: to.x, cy: to.y, r: 0.2 }), text]);
      group.style.opacity = 0.35 + 0.65 * Math.min(1, share * 2);
      parts.unshift(group);
    }
    this.layers.advice.replaceChildren(...parts);
  }

  // Where an action leads from and to, on the board.
  way({ does, entry, spots }) {
    const { dots, spots: all, entries } = this.places;
    if (does === 'push') {
      const [from, to] = [dots[entries[entry].dot], all[entries[entry].ray[0]]];
      return [from, { x: from.x + (to.x - from.x) * 0.5, y: from.y + (to.y - from.y) * 0.5 }];
    }
    const ends = [spots[0], spots[spots.length - 1]].map((spot) => all[spot]);
    return ends[0] ? ends : [];
  }

  // The pushes that may be done from a dot now, with the piece that was chosen to be brought in if it can be.
  pushes(dot) {
    const here = this.places.entries.flatMap((entry, index) => (entry.dot === dot ? this.pushesAt(index) : []));
    const wanted = here.filter(({ piece }) => piece === this.kind);
    return wanted.length ? wanted : here.filter(({ piece }) => piece === here[0].piece);
  }

  // The pushes at an entry. One that moves nothing is the same from every dot of its spot, and legal at one of these
  // entries only: it is offered at each.
  pushesAt(index) {
    const { dots, entries } = this.places;
    const { dot, ray } = entries[index];
    const pushes = this.view.legal.filter(({ does }) => does === 'push');
    const own = pushes.filter(({ entry }) => entry === index);
    const isVacant = (spot) => !this.view.pieces.some((piece) => piece.spot === spot);
    // In push-off, pieces behind a gap are moved, too.
    if (own.length || !(this.view.variant === 'push-off' ? ray : [ray[0]]).every(isVacant)) return own;
    const same = pushes.filter(({ entry, spots }) => entries[entry].ray[0] === ray[0] && !spots.length);
    return same.map((push) => ({ ...push, entry: index, text: push.text.replace(dots[entries[push.entry].dot].name, dots[dot].name) }));
  }

  open(dot) {
    if (!this.isOpen || !this.pushes(dot).length) return;
    this.dot = this.dot === dot ? null : dot;
    this.used = dot;
    this.light();
    if (this.dot !== null) this.layers.targets.firstChild?.focus({ preventScroll: true });
  }

  // Where the keys start: at the dot that was used last, or else at the first that is open.
  entrance() {
    return [this.dots[this.used], ...this.dots].find((dot) => dot?.classList.contains('open'));
  }

  set playable(isOpen) {
    this.isOpen = isOpen;
    this.light();
  }

  // Lights up what can be clicked.
  light() {
    let first = true;
    this.dots.forEach((group, dot) => {
      const open = this.isOpen && this.pushes(dot).length > 0;
      group.classList.toggle('open', open);
      group.classList.toggle('chosen', dot === this.dot);
      if (open) {
        group.setAttribute('tabindex', first || dot === this.dot ? '0' : '-1');
        group.setAttribute('role', 'button');
        group.setAttribute('aria-label', `dot ${this.places.dots[dot].name}`);
        first = false;
      } else {
        for (const name of ['tabindex', 'role', 'aria-label']) group.removeAttribute(name);
      }
    });
    const offers = !this.isOpen ? [] : this.dot !== null ? this.pushes(this.dot) : this.view.legal.filter(({ does }) => does === 'jump');
    this.layers.targets.replaceChildren(...offers.map((legal) => this.target(legal)));
    this.preview(null);
  }

  // Where an action is chosen: on the spot where its piece comes in or lands or, if several jumps land there, on the
  // side of it from which this one comes.
  mark({ action, does, entry, spots }) {
    const whole = (spot) => ({ ...this.places.spots[spot], size: 1 });
    if (does === 'push') return whole(this.places.entries[entry].ray[0]);
    const [from, to] = spots;
    const isShared = this.view.legal.some((other) => other.does === 'jump' && other.action !== action && other.spots[1] === to);
    if (!isShared) return whole(to);
    const [start, end] = [from, to].map((spot) => this.places.spots[spot]);
    const share = 0.3 / Math.hypot(start.x - end.x, start.y - end.y);
    return { x: end.x + share * (start.x - end.x), y: end.y + share * (start.y - end.y), size: 0.5 };
  }

  target(legal) {
    const { x, y, size } = this.mark(legal);
    const group = element('g', { class: 'target', tabindex: 0, role: 'button', 'aria-label': legal.text, 'data-action': legal.action }, [
      element('circle', { class: 'ring', cx: x, cy: y, r: 0.43 * size }),
      element('circle', { class: 'reach', cx: x, cy: y, r: 0.47 * size }),
    ]);
    for (const name of ['pointerenter', 'focus']) group.addEventListener(name, () => this.preview(legal));
    for (const name of ['pointerleave', 'blur']) group.addEventListener(name, () => this.preview(null));
    return group;
  }

  // Shows what an action would push, before it is done.
  preview(legal) {
    this.ghosts?.forEach((ghost) => ghost.remove());
    this.ghosts = [];
    for (const group of this.pieces.values()) group.classList.remove('leaving');
    if (legal?.does === 'push') {
      const { ray } = this.places.entries[legal.entry];
      this.haunt(ray[0], { player: this.view.to_move, kind: legal.piece });
      for (const spot of legal.spots) {
        this.haunt(behind(ray, spot), this.view.pieces.find((piece) => piece.spot === spot));
      }
    }
    if (!legal || STAYS.includes(legal.does)) return;
    for (const spot of legal.spots) this.pieces.get(spot)?.classList.add('leaving');
  }

  // Shows a piece where it would end up, if that is on the board.
  haunt(spot, piece) {
    if (spot === undefined) return;
    const ghost = this.shape(piece);
    ghost.classList.add('ghost');
    this.put(ghost, this.places.spots[spot]);
    this.layers.pieces.append(ghost);
    this.ghosts.push(ghost);
  }

  drop(event) {
    const { held } = this;
    this.held = null;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest('.target, .dot');
    if (!under) return;
    if (under.dataset.action) this.pick(under);
    else if (held !== null && Number(under.dataset.dot) === held) this.open(held);
  }

  // Does what choosing a place does, without a pointer.
  press(place) {
    const target = place.closest('.target');
    const dot = place.closest('.dot');
    if (target) this.pick(target);
    else if (dot) this.open(Number(dot.dataset.dot));
  }

  // Chooses an action by its place, and remembers the dot from which that is reached.
  pick({ dataset }) {
    const action = Number(dataset.action);
    this.from = { action, dot: this.dot };
    this.choose(action);
  }

  key(event) {
    const target = event.target.closest('.target');
    const dot = event.target.closest('.dot');
    const turn = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && this.dot !== null) {
      const back = this.dots[this.dot];
      this.open(this.dot);
      back.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      // A key that is held chooses one place, not all that follow.
      if (!event.repeat) this.press(event.target);
    } else if (turn && (target || dot)) {
      const all = [...this.svg.querySelectorAll(target ? '.target' : '.dot.open')];
      all[(all.indexOf(target ?? dot) + turn + all.length) % all.length]?.focus();
    } else {
      return;
    }
    event.preventDefault();
  }
}
