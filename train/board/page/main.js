// The page: who plays whom, the turns, what is asked, and what the program thinks of it.

import { Board } from './board.js';
import { showChoices } from './choices.js';
import { Clocks } from './clock.js';
import { ALONE, Engine } from './engine.js';
import { Game } from './game.js';
import { Graph } from './graph.js';
import { download, downloadPng, picture } from './picture.js';
import { Review, faultOf } from './review.js';
import { showRules } from './rules.js';
import { NAMES, WAITS, button, hands, offerTheme, options, refill, showClock, speak, standing, warn } from './show.js';
import { Thoughts } from './thoughts.js';
import { Turns } from './turns.js';

const $ = (id) => document.getElementById(id);
const PEOPLE = 'a person';

let isConnected = false;
const engine = new Engine(async (connected, wasConnected, told) => {
  isConnected = connected;
  if (connected) {
    tellConnection('');
    return resume();
  }
  // Nobody can play meanwhile: the game is looked at again with the next connection, and followed from there.
  clocks.rest();
  const why = told ?? (await whyLost(wasConnected));
  // The connection may have been made meanwhile.
  if (!isConnected) tellConnection(why);
});
const graph = new Graph($('graph'), attempt(goTo));
const turns = new Turns($('turns'), attempt(goTo));
let board;
let thoughts;
let players = [];
let game;
let view;
// The place of the game that it shows.
let viewed;
const clocks = new Clocks({ show: showClock, warn, over: (player) => giveUp(player, 'time') });
let seats = { white: PEOPLE, black: 'level:3' };
// The games played here that others have taken the place of, the latest last. Of those before it only unfinished ones are
// kept.
let behind = [];
let isThinking = false;
// Whether the focus was on the board when something was played: then it returns there.
let isAtBoard = false;
// Counts the places shown, so that answers for an earlier one are dropped.
let place = 0;
// What each turn of the line was worth, if it was reviewed, and the comments that keep it in a record.
let review = null;
// What was said last because something failed: it may be about a connection that was lost.
let said = '';

// Each attempt finds out why there is no connection; it is read out once.
function tellConnection(text) {
  if ($('connection').textContent !== text) $('connection').textContent = text;
}

// Why there is no connection. A page is not told why a WebSocket failed, so its own address is asked.
async function whyLost(wasConnected) {
  if (ALONE) return 'The program could not be fetched.';
  const found = wasConnected ? null : await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (found?.status === 404) return 'The program was started anew: open the address that it printed.';
  if (found?.ok) return 'Too many pages are open: close one of the others.';
  return 'The program does not answer. Is it running?';
}

const whyNot = () => $('connection').textContent || 'The program does not answer.';

// Refuses a person's question while nobody can answer it.
function needConnection() {
  if (!isConnected) throw new Error(whyNot());
}

const playersOf = (variant) => players.filter(({ variants }) => !variants.length || variants.includes(variant));
const named = ({ name, about }) => [name, about];

function offerPlayers(chosen = seats) {
  const all = [[PEOPLE, PEOPLE], ...playersOf($('variant').value).map(named)];
  for (const id of ['white', 'black']) options($(id), all, chosen[id]);
}

// The players that can be asked about the game that is shown; the one that was chosen stays chosen.
function offerAdvisers() {
  const fit = playersOf(view.variant);
  const advisers = fit.filter(({ thinks }) => thinks);
  options($('adviser'), (advisers.length ? advisers : fit.filter(({ name }) => name.startsWith('alpha-beta'))).map(named), $('adviser').value);
}

// Does something, and says why if it fails.
function attempt(act) {
  return async (...given) => {
    try {
      return await act(...given);
    } catch (error) {
      say(error.message);
    }
  };
}

const begin = attempt(enter);

async function enter(variant, control = '', chosen = seats) {
  const { view: first } = await engine.ask({ look: { game: { variant } } });
  await leave();
  await change({ game: new Game(first.start), seats: chosen, review: null, time: () => clocks.begin(control) });
}

// Repeats a question that was lost: without the first answers there is no page.
async function insist(ask) {
  for (;;) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

// Ends whatever is done with the game that is shown, before another one takes its place.
async function leave() {
  await study?.end();
  await settle();
}

// Shows another game, and offers the way back to the one before, if something was played in it.
async function change(other, goesBack = false) {
  const { state } = app;
  await look(null, other);
  const rest = behind.filter(({ game }) => game !== other.game && game !== state.game);
  if (isPlayed(state.game)) behind = goesBack ? [state, ...rest] : [...rest.filter(({ game }) => hasUnsaved(game)), state];
  else behind = rest;
  $('before').hidden = !behind.length;
}

// A game as it was left, with the time that was left.
const resumed = ({ clocks: left, ...state }) => ({ ...state, time: () => clocks.restore(left ?? null) });

// Shows the game before; the one that is shown can be gone back to after all others.
async function goBack() {
  await leave();
  if (!behind.length) return;
  await change(resumed(behind.at(-1)), true);
  $('variant').value = view.variant;
  offerPlayers();
  if (review) showReview();
}

// A void game is replayed from where it began, as in matches. Colours and clocks are exchanged once, however often that is
// clicked.
async function again() {
  $('again').hidden = true;
  const isWanted = await settle();
  if (!isWanted()) return;
  const exchanged = { white: seats.black, black: seats.white };
  await change({ game: new Game(game.start), seats: exchanged, review: null, time: () => clocks.exchange() });
  offerPlayers();
}

// Shows how the game stands, or another game, which takes its place completely once the program has answered.
async function look(played = null, other = null) {
  const now = ++place;
  const [shown, here] = [game, game?.here];
  const { view: found } = await engine.ask({ look: { game: (other?.game ?? game).text() } });
  // This place may be asked about meanwhile; another place, or a position being set up, must not be covered.
  if (!other && (game !== shown || game.here !== here || !$('editor').hidden)) return;
  const isAsked = !other && now !== place;
  view = found;
  if (other) replaceBy(other);
  viewed = game.here;
  if (!board.view) board.mover = view.to_move;
  board.show(view, played);
  if (!isAsked) thoughts.forget();
  render();
  app.onLook?.(view);
  if (!isAsked || isMachine()) goOn();
}

function replaceBy(other) {
  // What was asked about the game before is of no use.
  place++;
  ({ game, seats, review } = other);
  other.time();
  offerAdvisers();
}

// Open questions get no answer after the connection was lost: the game is looked at again, unless the editor is open.
async function resume() {
  if (!view || !$('editor').hidden) return;
  if ($('told').textContent === said) say('');
  await attempt(look)();
}

// Lets the program play if it is to move, or think along if it is asked to.
function goOn() {
  if (isMachine() && game.isAtEnd) answer();
  else if (isThinking) think();
}

function isMachine() {
  return !view.outcome && !game.here.lost && seats[view.to_move] !== PEOPLE;
}

async function play(action) {
  const legal = view.legal.find((legal) => legal.action === action);
  if (!legal || !board.isOpen) return;
  isAtBoard = $('table').contains(document.activeElement);
  // Until the program has said what it leads to, nothing else is played.
  board.playable = false;
  const before = game.here;
  const isNew = !before.children.some((child) => child.action === action);
  try {
    // The game may have been decided, or looked at again, while the program could not be asked.
    const isWanted = await settle();
    if (!isWanted()) return;
    game.play(action);
    // A turn that is played takes no more time, however late the program says what it led to.
    clocks.rest();
    await look(legal);
  } catch (error) {
    game.here = before;
    clocks.goOn();
    if (isNew) before.children = before.children.filter((child) => child.action !== action);
    board.playable = true;
    refocus();
    say(error.message);
  }
}

// Players of one strength choose differently in each game.
const seed = () => crypto.getRandomValues(new Uint32Array(1))[0];

// Lets the program play the turn that is due.
async function answer() {
  // If two turns are asked for, only the later one is played.
  const now = ++place;
  const player = seats[view.to_move];
  $('question').textContent = `${NAMES[view.to_move]} thinks …`;
  try {
    const { move } = await engine.ask({ move: { game: game.text(), player, seed: seed() } });
    for (const action of move.actions) {
      // Another game, or another place of it, may be shown by now.
      if (now !== place) return;
      const legal = view.legal.find((legal) => legal.action === action);
      game.play(action);
      const { view: next } = await engine.ask({ look: { game: game.text() } });
      if (now !== place) return;
      view = next;
      viewed = game.here;
      board.show(view, legal);
    }
    if (now !== place) return;
    const last = view.turns.at(-1);
    if (last) speak(`${NAMES[last.player]} has played ${last.text}`);
    render();
    goOn();
  } catch (error) {
    if (now !== place) return;
    restProgram();
    say(error.message);
  }
}

// Ends what the program is doing, and the editor, before something else is asked; returns a function that says whether
// that is still wanted.
async function settle() {
  const now = ++place;
  if (editor?.close()) {
    $('resume').hidden = !editor.isUnfinished;
    board.show(view);
    render();
  }
  restProgram();
  await engine.stop();
  return () => now === place;
}

// Stops the program's clock until the game is followed again: it runs only while the program is asked for its turn.
function restProgram() {
  if (seats[clocks.runs] !== PEOPLE) clocks.rest();
}

// Asks a long question about the place shown, says so, and shows answers while they are still wanted; returns whether
// they are.
async function inquire(question, show, words = 'Asking …') {
  const isWanted = await settle();
  if (!isWanted()) return false;
  const tell = (text) => speak(($('verdict').textContent = text));
  $('verdict').textContent = words;
  const hear = (answer) => isWanted() && (answer.waiting ? tell(words + WAITS) : show(answer));
  try {
    hear(await engine.ask(question, hear));
  } catch (error) {
    if (isWanted()) $('verdict').textContent = error.message;
  }
  if (isWanted()) speak($('verdict').textContent);
  return isWanted();
}

// A player gives the game up at the end of the line that is shown: other lines stay open.
function giveUp(player, cause) {
  if (game.end.lost) return;
  game.end.lost = { player, cause };
  if (cause === 'time') warn(player, 'out of time');
  if (!game.isAtEnd) $('told').textContent = givenUp(game.end.lost);
  clocks.stop();
  settle();
  thoughts.forget();
  render();
  goOn();
}

// A person who plays alone can resign even while the program is to move.
function resign() {
  const people = ['white', 'black'].filter((player) => seats[player] === PEOPLE);
  giveUp(people.length === 1 ? people[0] : view.to_move, 'resignation');
}

function say(text) {
  said = text;
  $('told').textContent = text;
  $('question').textContent = text;
}

// How the game has ended, at the place that is shown.
const ending = () => view.outcome || (game.here.lost && givenUp(game.here.lost));
const CAUSES = { time: 'is out of time', resignation: 'resigned' };
// The record of a game that was read may not say why.
const givenUp = ({ player, cause }) => `${NAMES[player]} ${CAUSES[cause] ?? 'lost, as the record says'}: ${NAMES[opponentOf(player)]} wins.`;
const opponentOf = (player) => (player === 'white' ? 'black' : 'white');

function render() {
  // A flag that has fallen may end the game here.
  if (game.isAtEnd) clocks.follow(view, game.here, Boolean(ending()));
  else if (seats[clocks.rested] === PEOPLE) clocks.goOn();
  if (view.outcome) game.here.isOver = true;
  const over = ending();
  const isBusy = isMachine() && game.isAtEnd;
  $('question').textContent = over || view.question;
  board.playable = !over && !isBusy;
  $('resign').disabled = Boolean(over) || !game.isAtEnd;
  // Their questions would end the turn that the program is thinking about.
  for (const id of ['review', 'puzzles', 'solve']) $(id).disabled = isBusy;
  $('hint').disabled = Boolean(over) || isBusy || !$('adviser').options.length;
  // Turns are taken back only at the end of a line.
  $('undo').disabled = !game.path.length || !game.isAtEnd;
  $('again').hidden = !view.void;
  $('gpn').textContent = view.gpn;
  showChoices($('choices'), view, board, play);
  $('hands').replaceChildren(...hands(view));
  $('standing').textContent = standing(view, board.places.spots);
  renderTurns();
  renderGraph();
  refill($('moves'), view.legal.map(({ action, text }) => button(text, () => play(action))));
  refocus();
}

// A person who plays by keys goes on where they were, as soon as something can be played, unless they went elsewhere.
function refocus() {
  if (!isAtBoard || !board.isOpen) return;
  isAtBoard = false;
  if (document.activeElement === document.body) (board.entrance() ?? $('choices').querySelector('button'))?.focus({ preventScroll: true });
}

const line = () => JSON.stringify([game.start, game.whole]);

// The list is known only as far as the line was looked at.
const renderTurns = attempt(async () => {
  for (const id of ['mistake', 'learn']) $(id).disabled = !mistakes().length;
  const wanted = line();
  if (turns.key !== wanted) {
    // The place may have changed before it was looked at.
    const isKnown = game.isAtEnd && viewed === game.here;
    const { view: end } = isKnown ? { view } : await engine.ask({ look: { game: game.text(game.whole) } });
    if (wanted !== line()) return;
    turns.take(wanted, end.turns);
  }
  turns.show(game.path.length, mistakes());
});

function renderGraph() {
  graph.show(review?.points(game.whole) ?? [], game.path.length, Math.max(game.whole.length, 1));
}

const mistakes = () => review?.mistakes(game.whole) ?? [];

async function goTo(count) {
  const whole = game.whole.length;
  await settle();
  game.go(Math.max(0, Math.min(count, whole)));
  await look();
}

async function undo() {
  // Clicks while nobody answers take nothing back: nobody sees what they would remove.
  const isWanted = await settle();
  if (!isWanted()) return;
  let count = turns.from(-1, game.path.length);
  // Against the program, people take back their own turn.
  const owner = turns.playerAfter(count);
  if (owner && seats[owner] !== PEOPLE) count = turns.from(-1, count);
  game.cut(count);
  await look();
}

const advice = (show = (answer) => thoughts.show(answer)) => inquire({ analyse: { game: game.text(), player: $('adviser').value } }, show);

async function think() {
  if (!view.outcome) await advice();
}

async function toggleThinking() {
  isThinking = !isThinking;
  $('think').setAttribute('aria-pressed', String(isThinking));
  $('think').textContent = isThinking ? 'Pause' : 'Think';
  await settle();
  await look();
}

// Ends thinking along before a question whose answer is shown in its place, or which it would answer.
async function pause() {
  if (isThinking) await toggleThinking();
}

// A hint is a look at what the adviser would do, for a second from its first thought: its network may have to be
// fetched first, or others may be served before.
async function hint() {
  let now = null;
  const show = (answer) => {
    if (now === null) setTimeout(() => now === place && engine.stop(), 1000);
    now = place;
    thoughts.show(answer);
  };
  if (await advice(show)) goOn();
}

// An adviser chosen while another one thinks along takes over.
async function changeAdviser() {
  if (!isThinking) return;
  thoughts.forget();
  if (!(isMachine() && game.isAtEnd)) await think();
}

// The positions that a review visits in each turn.
const NODES = 1000;

async function reviewGame() {
  await pause();
  const question = { game: game.text(game.whole), resigned: game.end.lost?.player, player: $('adviser').value, nodes: NODES };
  await inquire({ review: question }, ({ progress, review: found }) => {
    if (!found) return showProgress(progress);
    review = new Review(found);
    showReview();
  });
}

function showProgress({ done, all }) {
  $('verdict').textContent = `Reviewing: ${Math.min(done, all)} of ${all} turns`;
}

function showReview() {
  $('verdict').textContent = `Accuracy: ${review.accuracy}. Mistakes: ${mistakes().length}.`;
  renderTurns();
  renderGraph();
}

// Goes to the place before the next mistake: what would have been better is the question there.
async function nextMistake() {
  const all = mistakes();
  const next = all.find(({ at }) => at > game.path.length) ?? all[0];
  if (!next) return;
  await pause();
  await goTo(next.at);
  $('verdict').textContent = `${next.played} is ${next.severity === 'inaccuracy' ? 'an' : 'a'} ${faultOf(next)}`;
  speak($('verdict').textContent);
}

// What other parts of the page may do with the game.
const app = {
  engine,
  // The results of a search that was ended are not shown as if it went on.
  settle: () => {
    thoughts.forget();
    return settle();
  },
  goOn,
  inquire,
  mistakes,
  adviser: () => $('adviser').value,
  // Called for every position that is shown.
  onLook: null,
  get state() {
    return { game, review, seats, clocks: clocks.state };
  },
  async restore(state) {
    await settle();
    await look(null, resumed(state));
    if (review) showReview();
  },
  set: (start) => app.restore({ game: new Game(start), review: null, seats: { white: PEOPLE, black: PEOPLE } }),
};

// A part of the page that is fetched when it is first used.
let study = null;

async function withStudy(act) {
  try {
    await pause();
    const module = await import('./study.js');
    study ??= new module.Study(app, $('lesson'));
    await act(module);
  } catch (error) {
    say(error.message);
  }
}

// Sets a position up by mouse, or goes on with the one that was left for something else.
async function edit(goesOn) {
  const { Editor } = await import('./editor.js');
  if (editor?.isOpen) return;
  const isWanted = await settle();
  if (!isWanted()) return;
  if (viewed !== game.here) {
    // What was played last was not looked at before this interrupted it.
    const { view: found } = await engine.ask({ look: { game: game.text() } });
    if (!isWanted()) return;
    [view, viewed] = [found, game.here];
  }
  thoughts.forget();
  // A flag that falls would throw away the position that is being set up.
  clocks.rest();
  $('resume').hidden = true;
  if (goesOn) return editor.show();
  editor = new Editor({ board, place: $('editor'), read, leave: attempt(() => goTo(game.path.length)) });
  editor.open(view);
}

let editor = null;

// Writes the game as a page of its own, with what the review says.
async function writePage() {
  const whole = game.whole;
  const remarks = Array.from({ length: whole.length + 1 }, () => ({}));
  for (const { at, value } of review?.points(whole) ?? []) remarks[at].value = value;
  for (const turn of mistakes()) Object.assign(remarks[turn.end], { text: faultOf(turn), is_mistake: true });
  const { lost } = game.end;
  if (lost) remarks[whole.length].text = [remarks[whole.length].text, givenUp(lost)].filter(Boolean).join(' ');
  try {
    needConnection();
    const about = `A game of ${view.variant}, ${turns.count} turns`;
    const { page } = await engine.ask({ page: { game: game.text(whole), about, remarks } });
    const address = URL.createObjectURL(new Blob([page.html], { type: 'text/html' }));
    download('gipf.html', address);
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    $('told').textContent = error.message;
  }
}

// Shows a game that was read.
async function showGame(found) {
  location.hash = '';
  await leave();
  const { start, actions } = found.game;
  const people = { white: PEOPLE, black: PEOPLE };
  const read = Object.assign(new Game(start, actions), { wasRead: { actions, said: found.said } });
  await change({ game: read, seats: people, review: found.review ? new Review(found.review) : null, time: () => clocks.begin('') });
  // A game that the rules did not end was given up.
  if (!view.outcome && found.conclusion in NAMES) giveUp(found.conclusion === 'white' ? 'black' : 'white', found.cause);
  $('variant').value = view.variant;
  offerPlayers();
  if (review) showReview();
  const winner = NAMES[found.conclusion] ?? 'nobody';
  $('told').textContent = `${found.understood}${found.conclusion ? `; ${winner} wins` : ''}`;
}

async function read(text) {
  try {
    needConnection();
    const { game: found } = await engine.ask({ read: { text } });
    await showGame(found);
    return true;
  } catch (error) {
    $('told').textContent = error.message;
    return false;
  }
}

async function write() {
  try {
    const { lost } = game.end;
    if (!isConnected) return writeAlone();
    const comments = review?.covers(game.whole) ? review.comments : [];
    const given = { game: game.text(game.whole), resigned: lost?.player, out_of_time: lost?.cause === 'time', comments, said: game.said };
    const { record } = await engine.ask({ write: given });
    $('record').value = record.text;
    $('told').textContent = 'The record of this game stands above.';
  } catch (error) {
    $('told').textContent = error.message;
  }
}

// Writes down what is on the page while the program cannot.
function writeAlone() {
  if (turns.key !== line()) throw new Error(whyNot());
  const { lost } = game.end;
  const winner = lost ? opponentOf(lost.player) : game.isAtEnd && view.winner;
  const result = { white: '1-0', black: '0-1' }[winner] ?? '*';
  $('record').value = turns.record({ variant: view.variant, start: game.start, actions: game.whole, result, cause: lost?.cause });
  $('told').textContent = `${whyNot()} The turns stand above, without other tags or a review.`;
}

// A network of a run takes a seat, or both.
async function challenge(name, variant, alone) {
  // A run that was started again may have another rule set.
  players = [...players.filter((player) => player.name !== name), { name, about: name, variants: [variant], thinks: true }];
  $('variant').value = variant;
  location.hash = '';
  await begin(variant, '', { white: alone ? name : PEOPLE, black: name });
  offerPlayers();
}

// The address says which view is shown; the view of the runs is fetched when it is first asked for.
let runs = null;

async function showView() {
  const isRuns = location.hash === '#runs';
  $('game').hidden = isRuns;
  $('library').hidden = !isRuns;
  for (const [id, isHere] of [['to-game', !isRuns], ['to-runs', isRuns]]) {
    if (isHere) $(id).setAttribute('aria-current', 'page');
    else $(id).removeAttribute('aria-current');
  }
  if (!isRuns) return runs?.close();
  await pause();
  try {
    const { Runs } = await import('./runs.js');
    runs ??= new Runs({ engine, place: $('library'), challenge, show: attempt(showGame) });
  } catch (error) {
    location.hash = '';
    return say(error.message);
  }
  if (location.hash === '#runs' && !runs.isOpen) runs.open();
}

// Whether a game has more than what was read.
function isPlayed(game) {
  if (!game) return false;
  const { whole, wasRead } = game;
  const read = wasRead?.actions ?? [];
  return whole.length > read.length || whole.some((action, place) => action !== read[place]);
}

// Whether something would be lost with the page: a game that is not over.
const hasUnsaved = (game) => isPlayed(game) && !game.end.lost && !game.end.isOver;

async function start() {
  offerTheme($('theme'));
  const { hello } = await insist(() => engine.ask({ hello: {} }));
  players = hello.players;
  board = new Board($('board'), hello.board, play);
  thoughts = new Thoughts(board, play);
  options($('variant'), hello.variants.map((name) => [name, name]), 'standard');
  offerPlayers();
  showRules($('rules'), (title, gpn) => withStudy(() => study.example(title, gpn)));
  const chosen = () => ({ white: $('white').value, black: $('black').value });
  $('variant').addEventListener('change', () => offerPlayers(chosen()));
  $('adviser').addEventListener('change', attempt(changeAdviser));
  $('setup').addEventListener('submit', (event) => {
    event.preventDefault();
    begin($('variant').value, $('clock').value, chosen());
  });
  // The game may stand behind an exercise, or another game, that is shown in its place.
  const open = () => [study?.saved?.game ?? game, ...behind.map(({ game }) => game)];
  window.addEventListener('beforeunload', (event) => open().some(hasUnsaved) && event.preventDefault());
  const editing = { edit: () => edit(false), resume: () => edit(true) };
  const clicks = { resign, undo, again, before: goBack, hint, think: toggleThinking, review: reviewGame, mistake: nextMistake, write, page: writePage, ...editing, png: () => downloadPng($('board')) };
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener('click', attempt(act));
  $('learn').addEventListener('click', () => withStudy(() => study.learn()));
  $('puzzles').addEventListener('click', () => withStudy(() => study.puzzles()));
  $('posed').addEventListener('click', () => withStudy(() => study.posed($('variant').value)));
  $('solve').addEventListener('click', () => withStudy(({ solve }) => solve(app, (text) => ($('verdict').textContent = text))));
  $('svg').addEventListener('click', () => download('gipf.svg', picture($('board'))));
  $('read').addEventListener('click', () => read($('record').value));
  const turnFrom = (step) => turns.from(step, game.path.length, game.whole.length);
  for (const [id, count] of [['first', () => 0], ['back', () => turnFrom(-1)], ['forth', () => turnFrom(1)], ['last', () => game.whole.length]]) {
    $(id).addEventListener('click', attempt(() => goTo(count())));
  }
  window.addEventListener('hashchange', attempt(showView));
  // Somebody may have begun a game meanwhile.
  await insist(async () => view ?? (await enter('standard')));
  showView();
}

start();
