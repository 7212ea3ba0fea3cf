// The page: who plays whom, the turns, what is asked, and what the program thinks of it.

import { Board } from './board.js';
import { Engine } from './engine.js';
import { Game } from './game.js';
import { Graph } from './graph.js';
import { showRules } from './rules.js';

const $ = (id) => document.getElementById(id);
const PEOPLE = 'a person';
const NAMES = { white: 'White', black: 'Black' };

const engine = new Engine((connected) => {
  $('connection').textContent = connected ? '' : 'The program does not answer. Is it running?';
});
const graph = new Graph($('graph'), goTo);
let board;
let players = [];
let game;
let view;
let resigned = null;
let seats = { white: PEOPLE, black: 'level:3' };
let isThinking = false;
// What is asked of the program for a place that is no longer shown is of no use.
let place = 0;
// What each turn of the line was worth, if it was reviewed, and the comments that keep it in a record.
let review = null;

function button(text, act, label) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

function offerPlayers() {
  const variant = $('variant').value;
  const fit = players.filter(({ variants }) => !variants.length || variants.includes(variant));
  const all = [[PEOPLE, PEOPLE], ...fit.map(({ name, about }) => [name, about])];
  for (const id of ['white', 'black']) options($(id), all, seats[id]);
  const advisers = fit.filter(({ thinks }) => thinks);
  options($('adviser'), (advisers.length ? advisers : fit.filter(({ name }) => name.startsWith('alpha-beta'))).map(({ name, about }) => [name, about]));
}

async function begin(variant) {
  await settle();
  resigned = null;
  review = null;
  const { view: first } = await engine.ask({ look: { game: { variant } } });
  game = new Game(first.start);
  await look();
}

async function look(played = null) {
  const now = ++place;
  const { view: found } = await engine.ask({ look: { game: game.text() } });
  if (now !== place) return;
  view = found;
  if (!board.view) board.mover = view.to_move;
  board.show(view, played);
  forgetThoughts();
  render();
  if (isThinking) think();
  else if (isMachine() && game.isAtEnd) answer();
}

function isMachine() {
  return !view.outcome && !resigned && seats[view.to_move] !== PEOPLE;
}

async function play(action) {
  const legal = view.legal.find((legal) => legal.action === action);
  if (!legal) return;
  await settle();
  game.play(action);
  await look(legal);
}

// Lets the program play the turn that is due.
async function answer() {
  const now = place;
  const player = seats[view.to_move];
  $('question').textContent = `${NAMES[view.to_move]} thinks …`;
  try {
    const { move } = await engine.ask({ move: { game: game.text(), player, seed: now } });
    for (const action of move.actions) {
      if (now > place) return;
      const legal = view.legal.find((legal) => legal.action === action);
      game.play(action);
      const { view: next } = await engine.ask({ look: { game: game.text() } });
      view = next;
      board.show(view, legal);
    }
    if (now !== place) return;
    render();
    if (isMachine()) answer();
  } catch (error) {
    say(error.message);
  }
}

// Ends what the program is doing, before something else is asked.
async function settle() {
  place++;
  await engine.stop();
}

function say(text) {
  $('told').textContent = text;
  $('question').textContent = text;
}

function render() {
  const over = view.outcome || (resigned && `${NAMES[resigned]} resigned: ${NAMES[resigned === 'white' ? 'black' : 'white']} wins.`);
  $('question').textContent = over ?? view.question;
  board.playable = !over && !(isMachine() && game.isAtEnd);
  $('resign').disabled = Boolean(over);
  $('hint').disabled = Boolean(over) || !$('adviser').options.length;
  $('undo').disabled = !game.path.length;
  $('gpn').textContent = view.gpn;
  renderChoices(Boolean(over));
  renderHands();
  renderTurns();
  renderGraph();
  $('moves').replaceChildren(...view.legal.map(({ action, text }) => button(text, () => play(action))));
}

const KINDS = { single: 'a basic piece', gipf: 'a GIPF-piece', loaded: 'a piece with a potential' };

function renderChoices(over) {
  const pushes = view.legal.filter(({ does }) => does === 'push');
  const kinds = [...new Set(pushes.map(({ piece }) => piece))];
  let parts = [];
  if (kinds.length > 1) {
    if (!kinds.includes(board.kind)) board.kind = kinds[0];
    parts = kinds.map((kind) => {
      const made = button(KINDS[kind], () => {
        board.kind = kind;
        board.light();
        renderChoices(over);
      });
      made.setAttribute('aria-pressed', String(kind === board.kind));
      return made;
    });
  }
  const questions = view.legal.filter(({ does }) => !['push', 'jump'].includes(does));
  for (const legal of questions) {
    const made = button(worded(legal), () => play(legal.action));
    for (const name of ['pointerenter', 'focus']) made.addEventListener(name, () => board.preview(legal));
    for (const name of ['pointerleave', 'blur']) made.addEventListener(name, () => board.preview(null));
    parts.push(made);
  }
  $('choices').replaceChildren(...(over || !board.isOpen ? [] : parts));
}

function worded({ does, text }) {
  const words = { keep: 'Keep it on the board', take: 'Take it off', leave: 'Leave them', remove: 'Remove them' };
  return words[does] ?? text[0].toUpperCase() + text.slice(1);
}

function renderHands() {
  const hands = ['white', 'black'].map((player, index) => {
    const hand = document.createElement('div');
    const name = document.createElement('strong');
    const lost = view.captured?.[index] ?? 0;
    name.textContent = `${NAMES[player]} ${view.reserves[index]}`;
    hand.className = 'hand';
    const words = [`${view.reserves[index]} in reserve`, `${lost} captured`];
    if (view.potentials[index]) words.push(`${view.potentials[index]} potentials`);
    hand.setAttribute('role', 'img');
    hand.setAttribute('aria-label', `${NAMES[player]}: ${words.join(', ')}`);
    hand.append(name);
    for (let piece = 0; piece < view.reserves[index] + lost; piece++) {
      const chip = document.createElement('span');
      chip.className = `chip ${player}${piece < view.reserves[index] ? '' : ' lost'}`;
      hand.append(chip);
    }
    return hand;
  });
  $('hands').replaceChildren(...hands);
}

// The turns of the whole line are known only as far as it was looked at.
let line = { text: '', turns: [] };

async function renderTurns() {
  const whole = game.whole;
  const text = JSON.stringify([game.start, whole]);
  if (line.text !== text) {
    const { view: end } = game.isAtEnd ? { view } : await engine.ask({ look: { game: game.text(whole) } });
    if (text !== JSON.stringify([game.start, game.whole])) return;
    line = { text, turns: end.turns };
  }
  const here = game.path.length;
  const losses = new Map(mistakes().map((turn) => [turn.end, turn]));
  const items = line.turns.map((turn, index) => {
    const item = document.createElement('li');
    const made = button(`${index % 2 ? '' : `${index / 2 + 1}. `}${turn.text}`, () => goTo(turn.end));
    if (turn.end === here) made.setAttribute('aria-current', 'true');
    const mistake = losses.get(turn.end);
    if (mistake) {
      made.className = `bad ${mistake.severity}`;
      made.title = lossOf(mistake);
    }
    item.append(made);
    return item;
  });
  $('turns').replaceChildren(...items);
  $('turns').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

function renderGraph() {
  const worth = reviewedTurns();
  const points = worth.map(({ at, value, severity }) => ({ at, value, drop: severity }));
  if (worth.length) points.push({ at: worth[worth.length - 1].end, value: review.analysis.end.value });
  graph.show(points, game.path.length, Math.max(game.whole.length, 1));
}

// The turns of the review with the number of actions before and after each, as far as they are those of the line.
function reviewedTurns() {
  if (!review) return [];
  const whole = game.whole;
  let at = 0;
  const turns = [];
  for (const turn of review.analysis.turns) {
    const end = at + turn.actions.length;
    if (turn.actions.some((action, place) => whole[at + place] !== action)) break;
    turns.push({ ...turn, at, end });
    at = end;
  }
  return turns;
}

const mistakes = () => reviewedTurns().filter(({ severity }) => severity);
const lossOf = ({ severity, loss }) => `${severity}: loses ${loss.toFixed(2)} of the expected result`;

async function goTo(count) {
  const whole = game.whole.length;
  await settle();
  game.go(Math.max(0, Math.min(count, whole)));
  await look();
}

// The number of actions at the end of the turn before or after the place that is shown.
function turnFrom(step) {
  const ends = [0, ...line.turns.map(({ end }) => end)];
  const here = game.path.length;
  return step < 0 ? Math.max(0, ...ends.filter((end) => end < here)) : Math.min(...ends.filter((end) => end > here), game.whole.length);
}

async function undo() {
  await settle();
  resigned = null;
  let count = turnFrom(-1);
  // Against the program one takes back one's own turn.
  const owner = line.turns.find(({ end }) => end > count)?.player;
  if (owner && seats[owner] !== PEOPLE && count > 0) {
    game.cut(count);
    count = Math.max(0, ...[0, ...line.turns.map(({ end }) => end)].filter((end) => end < count));
  }
  game.cut(count);
  await look();
}

function showThoughts({ thoughts }) {
  const { value, proven, nodes, seconds, candidates, line_text: words } = thoughts;
  const chance = value === null ? '' : `White expects ${value >= 0 ? '+' : ''}${value.toFixed(2)}`;
  const proof = proven === null ? '' : ` (proven: ${proven > 0 ? 'White wins' : proven < 0 ? 'Black wins' : 'nobody wins'})`;
  $('verdict').textContent = `${chance}${proof} · ${nodes.toLocaleString('en')} positions, ${Math.round(nodes / Math.max(seconds, 0.001)).toLocaleString('en')} a second`;
  $('line').textContent = words ? `Expected: ${words}` : '';
  if (value !== null) {
    $('bar-white').style.height = `${50 + 50 * value}%`;
    $('bar').setAttribute('aria-label', `White expects ${value.toFixed(2)}`);
  }
  const best = candidates.slice(0, 6);
  board.advise(best);
  $('candidates').hidden = !best.length;
  const rows = best.map(({ action, text, share, value: worth }) => {
    const row = document.createElement('tr');
    const cells = [button(text, () => play(action)), `${Math.round(share * 100)} %`, worth === null ? '–' : `${worth >= 0 ? '+' : ''}${worth.toFixed(2)}`];
    for (const content of cells) {
      const cell = document.createElement('td');
      cell.append(content);
      row.append(cell);
    }
    row.addEventListener('pointerenter', () => board.preview(view.legal.find((legal) => legal.action === action)));
    row.addEventListener('pointerleave', () => board.preview(null));
    return row;
  });
  $('candidates').tBodies[0].replaceChildren(...rows);
}

function forgetThoughts() {
  for (const id of ['verdict', 'line']) $(id).textContent = '';
  $('candidates').hidden = true;
}

async function think() {
  if (view.outcome) return;
  const now = place;
  const show = (answer) => now === place && showThoughts(answer);
  try {
    show(await engine.ask({ analyse: { game: game.text(), player: $('adviser').value } }, show));
  } catch (error) {
    $('verdict').textContent = error.message;
  }
}

async function toggleThinking() {
  isThinking = !isThinking;
  $('think').setAttribute('aria-pressed', String(isThinking));
  $('think').textContent = isThinking ? 'Pause' : 'Think';
  await settle();
  if (isThinking) think();
  else look();
}

// A hint is a look at what the adviser would do, for a second.
async function hint() {
  const now = ++place;
  const show = (answer) => now === place && showThoughts(answer);
  setTimeout(() => now === place && engine.stop(), 1000);
  show(await engine.ask({ analyse: { game: game.text(), player: $('adviser').value } }, show));
}

// The positions that a review visits in each turn.
const NODES = 1000;

async function reviewGame() {
  await settle();
  const now = place;
  const progress = ({ progress: { done, all } }) => {
    if (now === place) $('verdict').textContent = `Reviewing: ${done} of ${all} turns`;
  };
  const question = { game: game.text(game.whole), resigned, player: $('adviser').value, nodes: NODES };
  try {
    const answer = await engine.ask({ review: question }, progress);
    if (now !== place) return;
    showReview(answer.review);
  } catch (error) {
    $('verdict').textContent = error.message;
  }
}

function showReview(found) {
  review = found;
  const said = review.analysis.players.map(({ accuracy }, index) => `${index ? 'Black' : 'White'} ${accuracy === null ? '–' : `${accuracy.toFixed(0)} %`}`);
  $('verdict').textContent = `Accuracy: ${said.join(', ')}. Mistakes: ${mistakes().length}.`;
  $('mistake').disabled = !mistakes().length;
  renderTurns();
  renderGraph();
}

// Goes to the place before the next mistake: what would have been better is the question there.
async function nextMistake() {
  const all = mistakes();
  const next = all.find(({ at }) => at > game.path.length) ?? all[0];
  if (!next) return;
  await goTo(next.at);
  $('verdict').textContent = `${next.played} is a ${lossOf(next)}. Better: ${next.candidates[0].turn}`;
}

async function read(text) {
  try {
    const { game: found } = await engine.ask({ read: { text } });
    await settle();
    resigned = null;
    review = found.review ?? null;
    seats = { white: PEOPLE, black: PEOPLE };
    game = new Game(found.game.start, found.game.actions);
    await look();
    $('variant').value = view.variant;
    offerPlayers();
    if (review) showReview(review);
    $('told').textContent = `${found.understood}${found.conclusion ? `; ${found.conclusion} wins` : ''}`;
  } catch (error) {
    $('told').textContent = error.message;
  }
}

async function write() {
  try {
    const { record } = await engine.ask({ write: { game: game.text(game.whole), resigned, comments: review?.comments ?? [] } });
    $('record').value = record.text;
    $('told').textContent = 'The record of this game stands above.';
  } catch (error) {
    $('told').textContent = error.message;
  }
}

// The board as a picture that needs no style sheet.
function picture() {
  const copy = $('board').cloneNode(true);
  const [own, drawn] = [$('board'), copy].map((svg) => svg.querySelectorAll('*'));
  own.forEach((from, index) => {
    const style = getComputedStyle(from);
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font-size', 'text-anchor', 'dominant-baseline']) {
      drawn[index].setAttribute(name, style.getPropertyValue(name));
    }
    if (from.style.transform) drawn[index].setAttribute('transform', from.style.transform.replaceAll('px', ''));
    drawn[index].removeAttribute('style');
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', 720);
  copy.setAttribute('height', 706);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
}

function download(name, address) {
  const link = document.createElement('a');
  link.download = name;
  link.href = address;
  link.click();
}

function downloadPng() {
  const image = new Image();
  image.addEventListener('load', () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1440, 1412];
    const context = canvas.getContext('2d');
    context.fillStyle = '#f4ead7';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    download('gipf.png', canvas.toDataURL('image/png'));
  });
  image.src = picture();
}

async function start() {
  const { hello } = await engine.ask({ hello: {} });
  players = hello.players;
  board = new Board($('board'), hello.board, play);
  options($('variant'), hello.variants.map((name) => [name, name]), 'standard');
  offerPlayers();
  showRules($('rules'), (gpn) => read(gpn));
  $('variant').addEventListener('change', offerPlayers);
  $('setup').addEventListener('submit', (event) => {
    event.preventDefault();
    seats = { white: $('white').value, black: $('black').value };
    begin($('variant').value);
  });
  const clicks = { undo, hint, think: toggleThinking, review: reviewGame, mistake: nextMistake, write, png: downloadPng };
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener('click', act);
  $('svg').addEventListener('click', () => download('gipf.svg', picture()));
  $('read').addEventListener('click', () => read($('record').value));
  $('resign').addEventListener('click', () => {
    resigned = seats.white === PEOPLE && seats.black !== PEOPLE ? 'white' : seats.black === PEOPLE && seats.white !== PEOPLE ? 'black' : view.to_move;
    settle();
    render();
  });
  for (const [id, count] of [['first', () => 0], ['back', () => turnFrom(-1)], ['forth', () => turnFrom(1)], ['last', () => game.whole.length]]) {
    $(id).addEventListener('click', () => goTo(count()));
  }
  await begin('standard');
}

start();
