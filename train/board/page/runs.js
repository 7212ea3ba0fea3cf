// Runs, ladders and datasets in the folders that were named when the program was started.

import { AXES, charts, ladder, lasted, made, table, told } from './charts.js';
import { ALONE } from './engine.js';
import { button } from './show.js';

const KINDS = { run: 'Runs', ladder: 'Ladders', dataset: 'Datasets' };
// Milliseconds between checks whether a run has grown; in every fifth of them, also whether there is something new.
const PACE = 2000;
const LOOK = 5;

export class Runs {
  // `challenge(player, variant, alone)` begins a game, `show(found)` shows one.
  constructor({ engine, place, challenge, show }) {
    Object.assign(this, { engine, challenge, show });
    this.chosen = new Set();
    this.runs = new Map();
    this.axis = 'games';
    this.list = made('div', { className: 'list' });
    this.told = made('p', {}, []);
    this.told.setAttribute('role', 'status');
    this.content = made('div', { className: 'content' });
    const select = made('select', {}, Object.entries(AXES).map(([value, text]) => new Option(text, value)));
    select.addEventListener('change', () => {
      this.axis = select.value;
      this.draw();
    });
    this.over = made('label', { hidden: true }, ['Over ', select]);
    const side = made('section', { className: 'side' }, [made('h2', { textContent: 'What there is' }), this.list]);
    side.setAttribute('aria-label', 'What there is');
    place.append(side, made('section', { className: 'shown' }, [this.over, this.told, this.content]));
  }

  async open() {
    if (ALONE) {
      this.list.replaceChildren(made('p', { textContent: 'Runs, ladders and datasets need the program on your own machine: gipf board shows them.' }));
      return;
    }
    const own = {};
    this.isOpen = own;
    for (let round = 0; this.isOpen === own; round++) {
      try {
        if (this.fault || round % LOOK === 0) await this.look();
        this.recover();
        await this.grow();
      } catch (error) {
        this.fault = this.told.textContent = error.message;
      }
      await new Promise((resolve) => setTimeout(resolve, PACE));
    }
  }

  close() {
    this.isOpen = null;
  }

  // What kept it from looking is over, and no longer shown.
  recover() {
    if (this.fault && this.told.textContent === this.fault) this.told.textContent = '';
    this.fault = null;
  }

  async look() {
    const { shelf } = await this.engine.ask({ shelf: {} });
    const names = JSON.stringify(shelf.items.map(({ name, kind }) => [name, kind]));
    if (names === this.names) return;
    this.names = names;
    this.drop(shelf.items);
    const parts = Object.entries(KINDS).flatMap(([kind, title]) => {
      const items = shelf.items.filter((item) => item.kind === kind);
      return items.length ? [made('h3', { textContent: title }), made('ul', {}, items.map((item) => made('li', {}, [this.entry(item)])))] : [];
    });
    const none = shelf.items.some(({ kind }) => kind === 'run') ? [] : [made('p', { textContent: 'No run yet: gipf train begins one, in the folder runs.' })];
    this.refill(this.list, [...none, ...parts]);
    // Those who come to see a run see the one that grew last.
    const newest = shelf.items.filter(({ kind, age }) => kind === 'run' && age !== null).sort((a, b) => a.age - b.age)[0];
    if (!this.wasChosen && newest) this.list.querySelector(`input[value="${CSS.escape(newest.name)}"]`)?.click();
  }

  // Stops showing runs that are no longer there.
  drop(items) {
    const gone = [...this.chosen].filter((name) => !items.some((item) => item.kind === 'run' && item.name === name));
    for (const name of gone) this.chosen.delete(name);
    if (gone.length) {
      this.told.textContent = '';
      this.draw();
    }
    if (!this.other || items.some((item) => item.kind !== 'run' && item.name === this.other)) return;
    this.told.textContent = `${this.other} is no longer there.`;
    this.content.replaceChildren();
    this.other = null;
  }

  // Refills a part of the page; an element that had the focus and is still there keeps it.
  refill(part, children) {
    const focus = part.contains(document.activeElement) && document.activeElement.dataset.stays;
    part.replaceChildren(...children);
    if (focus) [...part.querySelectorAll('[data-stays]')].find(({ dataset }) => dataset.stays === focus)?.focus();
  }

  entry({ name, kind }) {
    if (kind !== 'run') {
      const opens = button(name, () => this.single(name));
      opens.dataset.stays = name;
      return opens;
    }
    const box = made('input', { type: 'checkbox', value: name, checked: this.chosen.has(name) });
    box.dataset.stays = name;
    box.addEventListener('change', () => this.choose(name, box.checked));
    return made('label', {}, [box, made('span', { textContent: name })]);
  }

  async choose(name, isChosen) {
    this.wasChosen = true;
    this.other = null;
    if (isChosen) this.chosen.add(name);
    else this.chosen.delete(name);
    await this.grow(true);
  }

  // Asks for the chosen runs, as far as they are not known, and draws them if they are new.
  async grow(isNew = false) {
    if (this.other || (!isNew && !this.chosen.size)) return;
    let grew = isNew;
    const faults = [];
    for (const name of [...this.chosen]) {
      // Asking for a run would end the reading of what is looked at instead by now.
      if (this.other) return;
      try {
        const { shown } = await this.engine.ask({ open: { name, known: this.runs.get(name)?.stamp ?? null } });
        if (!shown?.run) continue;
        this.runs.set(name, { ...shown.run, stamp: shown.stamp });
        grew = true;
      } catch (error) {
        faults.push(`${name}: ${error.message}`);
      }
    }
    if (this.other) return;
    this.told.textContent = faults.join(' · ');
    if (grew) this.draw();
  }

  draw() {
    const runs = [...this.chosen].map((name) => this.runs.get(name)).filter(Boolean);
    this.over.hidden = !runs.length;
    const pictures = made('div', { className: 'charts' }, charts(runs, this.axis));
    this.refill(this.content, [...runs.map((run) => this.card(run)), pictures]);
  }

  // A description of a run, and its networks to play against.
  card(run) {
    const { name, variant, iterations, planned, checkpoints, findings, x } = run;
    const hours = x.hours[x.hours.length - 1] ?? 0;
    const text = `${variant}, iteration ${iterations} of ${planned}, ${told(x.games[x.games.length - 1] ?? 0)} games in ${lasted(hours)}`;
    const parts = [made('strong', { textContent: name }), made('span', { textContent: text })];
    if (checkpoints.length) {
      const select = made('select', {}, checkpoints.toReversed().map((iteration) => new Option(iteration, iteration)));
      this.picked ??= new Map();
      if (checkpoints.includes(this.picked.get(name))) select.value = this.picked.get(name);
      select.addEventListener('change', () => this.picked.set(name, Number(select.value)));
      select.dataset.stays = `of ${name}`;
      const play = (text, alone) => {
        const asked = button(text, () => this.challenge(`${name} @ ${select.value}`, variant, alone));
        asked.dataset.stays = `${text} ${name}`;
        return asked;
      };
      parts.push(made('span', { className: 'row' }, [made('label', {}, ['Network of iteration ', select]), play('Play against it', false), play('Watch it play itself', true)]));
    }
    const last = findings[findings.length - 1];
    if (last) parts.push(made('span', { className: 'finding', textContent: `Watch, iteration ${last[0]}: ${last[1]}` }));
    return made('article', { className: 'card' }, parts);
  }

  // Shows a ladder or a dataset.
  async single(name) {
    this.wasChosen = true;
    this.other = name;
    this.chosen.clear();
    for (const box of this.list.querySelectorAll('input')) box.checked = false;
    this.over.hidden = true;
    this.told.textContent = `Reading ${name} …`;
    this.content.replaceChildren();
    try {
      const { shown } = await this.engine.ask({ open: { name } });
      if (this.other !== name) return;
      this.told.textContent = '';
      this.content.replaceChildren(...(shown.ladder ? this.ladder(name, shown.ladder) : this.dataset(name, shown.dataset)));
    } catch (error) {
      if (this.other === name) this.told.textContent = `${name}: ${error.message}`;
    }
  }

  ladder(name, found) {
    const rows = found.players.map(({ player, elo, interval, games, score, ms_per_turn: time }) => {
      const around = interval && interval[0] < interval[1] ? `${Math.round(interval[0])} to ${Math.round(interval[1])}` : elo === null ? '' : 'given';
      return [player, elo === null ? '?' : Math.round(elo), around, games, `${(100 * score).toFixed(1)} %`, told(time)];
    });
    const text = `${found.variant}, ${found.games} games from the book ${found.book}; ${found.anchor} is given. White scores ${(100 * found.white_score).toFixed(1)} %.`;
    const wide = made('div', { className: 'wide', tabIndex: 0 }, [table('Players', [['Player', 'Elo', '95 % interval', 'Games', 'Score', 'ms a turn'], ...rows])]);
    wide.setAttribute('role', 'group');
    wide.setAttribute('aria-label', 'Players of the ladder');
    const picture = made('div', { className: 'wide', tabIndex: 0 }, [ladder(found)]);
    picture.setAttribute('role', 'group');
    picture.setAttribute('aria-label', 'Ratings as a picture');
    return [made('h2', { textContent: name }), made('p', { textContent: text }), picture, wide];
  }

  dataset(name, found) {
    if (found.uncounted) return [made('h2', { textContent: name }), made('p', { textContent: found.uncounted }), this.finder(name)];
    const { games, rows, files, results, lengths, endings, efforts, provenance, bytes_a_row: bytes, partial } = found;
    const counts = (of) => Object.entries(of).map(([word, count]) => `${word} ${count.toLocaleString('en')}`).join(', ');
    const [shortest, longest] = lengths ?? [0, 0];
    const facts = [
      ...(partial ? [['Incomplete', 'what is finished so far']] : []),
      ['Games', games.toLocaleString('en')],
      ['Decisions', `${rows.toLocaleString('en')} in ${files} files, ${bytes.toFixed(2)} bytes each`],
      ['Length', `${(rows / Math.max(games, 1)).toFixed(1)} decisions, ${shortest} to ${longest}`],
      ['Results', `White ${results[0]}, Black ${results[1]}, nobody ${results[2]}`],
      ['Endings', counts(endings)],
      ['Effort', counts(efforts)],
      ...provenance.map(({ variant, program, checkpoint, seed, licence }) => ['Games of', `${variant}, ${program}, checkpoint ${checkpoint ?? 'none'}, seed ${seed}, ${licence}`]),
    ];
    const list = made('dl', {}, facts.flatMap(([term, text]) => [made('dt', { textContent: term }), made('dd', { textContent: text })]));
    return [made('h2', { textContent: name }), list, ...(games ? [this.finder(name, games)] : [])];
  }

  // Asks which game of a dataset to look at, of so many if they were counted.
  finder(name, games = '') {
    const number = made('input', { type: 'number', min: 1, max: games || 2 ** 32 - 1, value: 1, required: true });
    const look = made('button', { type: 'submit', textContent: 'Look at it' });
    const form = made('form', { className: 'row' }, [made('label', {}, ['Game ', number]), look]);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const open = this.isOpen;
      // It may take long; those who went on to something else by then must not lose that.
      const isWanted = () => this.isOpen === open && this.other === name;
      this.told.textContent = `Reading game ${number.value} …`;
      try {
        const { game } = await this.engine.ask({ stored: { name, number: Number(number.value) } });
        if (isWanted()) this.show(game);
        if (this.other === name) this.told.textContent = '';
      } catch (error) {
        if (this.other === name) this.told.textContent = error.message;
      }
    });
    return form;
  }
}
