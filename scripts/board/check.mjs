// What a person does with the board in the browser, and what must be true of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { accessible, began, checks, goes, has, leave, middle, newGame, page, plays, reads, reviewed, setsUp, shot, shows, text, turns, typed, until, url } from './person.mjs';

// Does what is asked, by mouse only; returns what it did.
async function act(random) {
  const choices = page.locator('#choices button');
  const dots = page.locator('.dot.open');
  if (!(await dots.count())) {
    const which = random(await choices.count());
    const words = await choices.nth(which).textContent();
    await choices.nth(which).click();
    return words;
  }
  // In a tournament one first chooses what to bring in.
  if (await choices.count()) await choices.nth(random(await choices.count())).click();
  await page.mouse.click(...(await middle(dots.nth(random(await dots.count())).locator('.reach'))));
  const targets = page.locator('.target .reach');
  await targets.nth(random(await targets.count())).click();
  return 'placement';
}

const seeded = (state) => (most) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
};

// Plays until the game is over, or this many actions.
async function playOn(random, most) {
  const done = [];
  // The same choice may follow about another piece.
  const shown = async () => (await Promise.all(['gpn', 'choices', 'question'].map(text))).join(' ');
  while (done.length < most && !/wins/.test(await text('question'))) {
    const before = await shown();
    done.push(await act(random));
    await until((before) => ['gpn', 'choices', 'question'].map((id) => document.getElementById(id).textContent).join(' ') !== before, before);
  }
  return done;
}

await checks('the first move can be made within a second of the page, which is small', async () => {
  const opened = Date.now();
  await page.goto(url);
  await page.waitForSelector('.dot.open');
  assert.ok(Date.now() - opened < 3000, `${Date.now() - opened} ms`);
  const sizes = () => performance.getEntries().map(({ transferSize }) => transferSize ?? 0);
  const bytes = (await page.evaluate(sizes)).reduce((sum, size) => sum + size);
  assert.ok(bytes > 20_000 && bytes < 100_000, `${bytes} bytes`);
  console.log(`${Date.now() - opened} ms, ${bytes} bytes, ${Date.now() - began} ms since the program was started`);
});

await checks('a game against the program', async () => {
  for (let turn = 1; turn <= 3; turn++) {
    await act(seeded(turn));
    await until((turns) => document.querySelectorAll('#turns li').length === turns, 2 * turn, { timeout: 20_000 });
  }
  await page.click('#undo');
  await until(() => document.querySelectorAll('#turns li').length === 4);
  await page.click('#hint');
  await until(() => !document.getElementById('candidates').hidden);
  await shot('play');
});

await checks('what the program was about to play is not played where its turn was taken back', async () => {
  await newGame('standard', 'a person', 'pretrained');
  await act(seeded(3));
  await until(() => /thinks/.test(document.getElementById('question').textContent));
  await page.click('#undo');
  await until(() => document.querySelectorAll('#turns li').length === 0);
  await page.waitForTimeout(1500);
  assert.equal(await page.locator('#turns li').count(), 0);
  assert.match(await text('question'), /^White/);
});

await checks('whatever is pressed while the program is about to play, it plays its turn, and once', async () => {
  await newGame('basic', 'a person', 'pretrained');
  for (const round of [1, 2]) {
    await page.evaluate(() => document.querySelector('#moves button').click());
    await until(() => /thinks/.test(document.getElementById('question').textContent));
    await page.evaluate(() => ['last', 'think', 'last', 'think', 'last'].forEach((id) => document.getElementById(id).click()));
    await turns(2 * round);
    await until(() => document.querySelectorAll('.dot.open').length > 0);
  }
  await page.waitForTimeout(1000);
  assert.equal(await page.locator('#turns li').count(), 4);
  assert.doesNotMatch(await text('told'), /illegal/);
  const drawn = await page.locator('#board .piece').count();
  assert.equal(drawn, 6 + 4, 'each piece is drawn once');
});

await checks('a move leaves the board of a telephone where it is', async () => {
  await page.setViewportSize({ width: 390, height: 700 });
  await newGame('basic', 'a person', 'a person');
  await page.evaluate(() => window.scrollTo(0, 0));
  await plays(0, 0, 0, 0);
  await turns(4);
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.setViewportSize({ width: 1280, height: 900 });
});

await checks('the program answers while one thinks along', async () => {
  await newGame('standard', 'a person', 'level:1');
  await page.click('#think');
  await until(() => /positions/.test(document.getElementById('verdict').textContent));
  await act(seeded(4));
  await until(() => document.querySelectorAll('#turns li').length === 2);
  await until(() => document.getElementById('verdict').textContent !== '');
  await page.click('#think');
  await until(() => document.querySelectorAll('.dot.open').length > 0);
});

await checks('a game that was given up is read as such, and goes on where another turn is tried', async () => {
  await newGame('standard', 'a person', 'a person');
  await reads('1.Gd2/Gc6 1-0');
  await until(() => /Black lost, as the record says: White wins/.test(document.getElementById('question').textContent));
  assert.equal(await page.locator('.dot.open').count(), 0);
  await page.click('#back');
  await until(() => document.querySelectorAll('.dot.open').length > 0);
  await act(seeded(5));
  await until(() => /^White/.test(document.getElementById('question').textContent));
});

await checks('undo takes back what was played here, and nothing of another line', async () => {
  await newGame('standard', 'a person', 'a person');
  await plays(0, 0, 0, 0);
  const line = () => page.locator('#turns li').allTextContents();
  const whole = await line();
  await goes('back');
  await goes('back');
  assert.ok(await page.locator('#undo').isDisabled());
  await plays(1, 0);
  assert.notDeepEqual(await line(), whole);
  await goes('undo');
  await turns(3);
  await goes('undo');
  await turns(4);
  assert.deepEqual(await line(), whole);
  assert.ok(await page.locator('#undo').isDisabled());
  await goes('last');
  await goes('undo');
  await turns(3);
});

await checks('who resigns does so in one line', async () => {
  await newGame('standard', 'a person', 'a person');
  const replays = async (...places) => {
    await goes('first');
    await plays(...places);
  };
  const resigned = async () => /White resigned: Black wins/.test(await text('question')) && !(await page.locator('.dot.open').count());
  await plays(0, 0);
  await replays(1, 0);
  await page.click('#resign');
  assert.ok(await resigned());
  await replays(0, 0);
  assert.match(await text('question'), /^White(?! resigned)/);
  assert.ok(await page.locator('.dot.open').count());
  await replays(1, 0);
  assert.ok(await resigned());
  await goes('undo');
  await plays(2);
  assert.ok(await page.locator('.dot.open').count());
});

await checks('the clock of the program runs only while its turn is asked for', async () => {
  await page.selectOption('#clock', '300+3');
  await newGame('standard', 'a person', 'pretrained');
  await plays(0);
  await page.waitForSelector('#clock-black.runs');
  await goes('back');
  await page.waitForSelector('#clock-black:not(.runs)');
  await page.click('#last');
  await turns(2);
  await page.selectOption('#clock', '');
});

await checks('what else is asked while one thinks along', async () => {
  await newGame('standard', 'a person', 'a person');
  await plays(0);
  const verdict = (pattern) => until((pattern) => new RegExp(pattern).test(document.getElementById('verdict').textContent), pattern);
  const nodes = async () => Number(/([\d,]+) positions/.exec(await text('verdict'))?.[1].replaceAll(',', ''));
  await page.click('#think');
  await verdict('positions');
  await page.click('#hint');
  // The hint ends after a second.
  await page.waitForTimeout(1300);
  const before = await nodes();
  await page.waitForTimeout(700);
  assert.notEqual(await nodes(), before);
  await page.click('#review');
  await verdict('^Accuracy');
  assert.equal(await text('think'), 'Think');
  await page.waitForTimeout(500);
  await verdict('^Accuracy');
  // Nor does it end a proof that was begun within that second.
  await page.click('#hint');
  await page.click('#solve');
  await page.waitForTimeout(1500);
  assert.match(await text('verdict'), /^Looking for a proof/);
  // What was found out about one place is not shown at another.
  await goes('first');
  await page.waitForTimeout(500);
  assert.equal(await text('verdict'), '');
});

await checks('what was asked when the connection was lost is asked again', async () => {
  const other = await page.context().browser().newPage();
  await other.addInitScript(() => {
    const Own = globalThis.WebSocket;
    globalThis.WebSocket = class extends Own {
      constructor(...given) {
        super(...given);
        globalThis.lastSocket = this;
      }
    };
  });
  await other.goto(url);
  await other.waitForSelector('.dot.open');
  await other.selectOption('#variant', 'basic');
  await other.selectOption('#black', 'pretrained');
  await setsUp(other);
  await other.evaluate(() => document.querySelector('#moves button').click());
  await other.waitForFunction(() => /thinks/.test(document.getElementById('question').textContent));
  await other.evaluate(() => globalThis.lastSocket.close());
  await other.waitForFunction(() => document.getElementById('connection').textContent !== '');
  await other.locator('#turns li').nth(1).waitFor();
  for (const id of ['connection', 'told']) assert.equal(await other.textContent(`#${id}`), '');
  assert.match(await other.textContent('#question'), /^White/);
  await other.close();
});

await checks('a game that cannot be begun leaves the one that is shown, with its players', async () => {
  const other = await page.context().browser().newPage();
  await other.addInitScript(() => {
    const Own = globalThis.WebSocket;
    globalThis.WebSocket = class extends Own {
      send(question) {
        if (globalThis.isLost) this.close();
        else super.send(question);
      }
    };
  });
  await other.goto(url);
  await other.waitForSelector('.dot.open');
  await other.selectOption('#variant', 'basic');
  for (const player of ['white', 'black']) await other.selectOption(`#${player}`, 'level:1');
  await other.evaluate(() => (globalThis.isLost = true));
  await other.click('#setup button');
  await other.waitForFunction(() => document.getElementById('connection').textContent !== '');
  await other.evaluate(() => (globalThis.isLost = false));
  await other.waitForFunction(() => document.getElementById('connection').textContent === '');
  await other.waitForTimeout(500);
  assert.match(await other.textContent('#gpn'), /^standard/);
  assert.match(await other.textContent('#question'), /^White: bring in/);
  await other.close();
});

await checks('a whole tournament game by clicks', async () => {
  await newGame('tournament', 'a person', 'a person');
  const done = await playOn(seeded(11), 400);
  assert.match(await text('question'), /wins/);
  console.log(`${done.length} actions`);
});

await checks('a row is removed, and its GIPF-piece kept', async () => {
  await typed('standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0');
  const pieces = await page.locator('.piece').count();
  await page.mouse.click(...(await middle(page.locator('.dot[aria-label="dot e1"] .reach'))));
  await page.locator('.target .reach').first().click();
  await page.click('#choices button:has-text("Keep")');
  await until(() => document.querySelectorAll('#turns li').length === 1);
  assert.equal(await page.locator('.piece').count(), pieces - 3);
});

await checks('a turn by keys alone', async () => {
  await newGame('standard', 'a person', 'a person');
  await page.locator('.dot.open').first().focus();
  for (const key of ['ArrowRight', 'Enter', 'ArrowRight', 'Escape', 'Enter', 'Enter']) await page.keyboard.press(key);
  await turns(1);
  // A person who plays by keys goes on where they were, and so does one who goes through the turns.
  await until(() => document.activeElement.matches('.dot.open'));
  for (const key of ['ArrowRight', 'Enter', 'Enter']) await page.keyboard.press(key);
  await turns(2);
  await page.locator('#turns button').first().focus();
  await shows(() => page.keyboard.press('Enter'));
  await until(() => document.activeElement.matches('#turns [aria-current]'));
  // A key that is held chooses one place.
  await page.locator('.dot.open').first().focus();
  for (let times = 0; times < 5; times++) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.waitForTimeout(500);
  assert.deepEqual([await page.locator('#turns li').count(), await page.locator('.dot.chosen').count()], [2, 1]);
  await newGame('tournament', 'a person', 'a person');
  await plays(0, 0);
  await page.locator('#choices button').last().focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed')), 'true');
});

await checks('a turn by clicks without a pointer, and none by the other buttons of the mouse', async () => {
  await newGame('standard', 'a person', 'a person');
  const [dot, target] = ['.dot.open', '.target'].map((name) => page.locator(name).first());
  const other = async (place) => page.mouse.click(...(await middle(place.locator('.reach'))), { button: 'right' });
  await other(dot);
  assert.equal(await page.locator('.target').count(), 0);
  await dot.dispatchEvent('click');
  await other(target);
  assert.equal(await page.locator('#turns li').count(), 0);
  await target.dispatchEvent('click');
  await turns(1);
});

await checks('every dot from which a piece can be brought in is open, and the piece comes from the dot that was chosen', async () => {
  const chosen = async (name) => {
    await page.mouse.click(...(await middle(page.locator(`.dot[aria-label="dot ${name}"] .reach`))));
    return page.locator('.target').evaluateAll((targets) => targets.map((target) => target.getAttribute('aria-label')));
  };
  await newGame('tournament', 'a person', 'a person');
  assert.equal(await page.locator('.dot.open').count(), 24);
  // The first turn of the example game.
  assert.deepEqual(await chosen('e9'), ['Ge9-e8']);
  await page.evaluate(() => {
    const pieces = document.querySelector('#board .pieces');
    const add = pieces.append;
    pieces.append = (piece) => {
      if (!piece.classList.contains('ghost')) globalThis.from ??= new DOMMatrix(piece.style.transform).f;
      add.call(pieces, piece);
    };
  });
  await page.locator('.target .reach').click();
  await turns(1);
  assert.equal(await page.evaluate(() => globalThis.from), await page.evaluate(() => Math.min(...[...document.querySelectorAll('.dot .mark')].map(({ cy }) => cy.baseVal.value))));
  // In push-off a push onto the same vacant spot may be another one, and not be legal.
  await newGame('push-off', 'a person', 'a person');
  for (const [column, offered] of [['6', ['a3-b4', 'a3-b3']], ['g5', ['a3-b4']]]) {
    await typed(`push-off 4/5/6/${column === '6' ? 'g6' : '7'}/${column}/5/G3 w 18 18 - 0 0`);
    assert.deepEqual(await chosen('a3'), offered);
  }
});

await checks('a potential that was used is seen as a piece of its colour', async () => {
  await typed('basic+zertz 4/5/6/1J1S1j1/6/1s3/4 w 8 8 - 1 1');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const looks = await page.locator('.pieces .piece').evaluateAll((pieces) => pieces.map((piece) => [piece.classList[1], getComputedStyle(piece.firstChild).fill]));
    assert.equal(looks.length, 4);
    const of = (player) => [...new Set(looks.filter(([name]) => name === player).map(([, fill]) => fill))];
    assert.deepEqual([of('white').length, of('black').length], [1, 1]);
    assert.notDeepEqual(of('white'), of('black'));
  }
  await page.emulateMedia({ colorScheme: null });
});

await checks('a position that is typed in, a full line, and one that cannot be', async () => {
  await typed('basic 4/5/6/SsSsSsS/6/5/4 w 8 9 - 0 0');
  assert.equal(await page.locator('.piece').count(), 7);
  await page.fill('#record', 'basic 4/5');
  await page.click('#read');
  await until(() => /expected/.test(document.getElementById('told').textContent));
});

await checks('the example game is reviewed, written and read back', async () => {
  const turns = await reviewed();
  const verdict = await text('verdict');
  console.log(verdict);
  await page.click('#think');
  await page.click('#mistake');
  await until(() => /is (an inaccuracy|a mistake|a blunder): loses/.test(document.getElementById('verdict').textContent));
  assert.equal(await text('think'), 'Think');
  await shot('analyse');
  await page.click('#write');
  await until(() => document.getElementById('told').textContent.startsWith('The record'));
  await page.click('#read');
  await until(() => document.getElementById('told').textContent.startsWith('official'));
  assert.equal(await text('verdict'), verdict);
  assert.equal(await page.locator('#turns li').count(), turns);
});

await checks('thinking goes on until it is paused', async () => {
  await page.click('#first');
  await page.click('#think');
  const nodes = async () => Number(/([\d,]+) positions/.exec(await text('verdict'))?.[1].replaceAll(',', ''));
  await until(() => /positions/.test(document.getElementById('verdict').textContent));
  const before = await nodes();
  const best = page.locator('#candidates tbody button').first();
  await best.focus();
  await page.waitForTimeout(1000);
  assert.ok((await nodes()) > before);
  // The best actions can be clicked, and keep the focus, while they change.
  assert.ok(await best.evaluate((made) => made === document.activeElement));
  await shows(() => best.click());
  await page.click('#think');
});

await checks('a picture of the board needs nothing else', async () => {
  await page.click('#last');
  await page.waitForSelector('.piece');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#svg')]);
  const svg = readFileSync(await download.path(), 'utf8');
  assert.ok(svg.startsWith('<svg') && !svg.includes('<script') && svg.includes('transform='));
  assert.match(svg, /<text [^>]*font-family="[^"]*sans-serif"/);
});

await checks('a piece is dragged from a dot to its spot', async () => {
  await newGame('basic', 'a person', 'a person');
  await page.mouse.move(...(await middle(page.locator('.dot.open').first().locator('.reach'))));
  await page.mouse.down();
  await page.mouse.move(...(await middle(page.locator('.target .reach').first())), { steps: 5 });
  await page.mouse.up();
  await until(() => document.querySelectorAll('#turns li').length === 1);
  // One may first look where a push leads, and close it again.
  const dot = page.locator('.dot.open').first();
  const targets = () => page.locator('.target').count();
  await page.mouse.click(...(await middle(dot.locator('.reach'))));
  assert.ok(await targets());
  await page.mouse.click(...(await middle(dot.locator('.reach'))));
  assert.equal(await targets(), 0);
  await page.mouse.click(...(await middle(dot.locator('.reach'))));
  await page.mouse.move(...(await middle(dot.locator('.reach'))));
  await page.mouse.down();
  await page.mouse.move(...(await middle(page.locator('.target .reach').first())), { steps: 5 });
  await page.mouse.up();
  await turns(2);
});

await checks('a void game is played again, colours exchanged', async () => {
  await newGame('basic', 'a person', 'level:1');
  await typed('basic 4/5/6/7/6/5/4 w 12 12 - 0 0');
  // Twice a cycle of eight turns that ends where it began.
  const cycle = ['d1-e2', 'a1-b2', ...Array(3).fill(['e1-e2', 'b1-b2']).flat()];
  for (const [number, move] of [...cycle, ...cycle].entries()) {
    await page.evaluate((move) => [...document.querySelectorAll('#moves button')].find((made) => made.textContent === move).click(), move);
    await until((count) => document.querySelectorAll('#turns li').length === count, number + 1);
  }
  assert.match(await text('question'), /Nobody wins/);
  await page.click('#again');
  await until(() => document.querySelectorAll('#turns li').length === 0);
  assert.equal(await text('gpn'), 'basic 4/5/6/7/6/5/4 w 12 12 - 0 0');
  assert.ok(await page.locator('#again').isHidden());
});

await checks('a push of push-off shows before and after it all that it moves, over gaps and off the board', async () => {
  await newGame('push-off', 'a person', 'a person');
  await typed('push-off g2G/5/6/G5g/SsS1sS/5/g2G w 15 16 - 0 0');
  await page.mouse.click(...(await middle(page.locator('.dot[aria-label="dot f1"] .reach'))));
  const target = page.locator('.target .reach').first();
  await target.hover();
  // The new piece and those of the line; the one at its far end has nowhere to go.
  assert.equal(await page.locator('.piece.ghost').count(), 1 + 4);
  assert.equal(await page.locator('.piece.leaving').count(), 5);
  await target.click();
  await until(() => document.querySelectorAll('#turns li').length === 1);
  assert.equal(await text('gpn'), 'push-off g2G/5/6/G5g/SSsS1s/5/g2G b 15 16 - 0 0');
  // What was pushed off is no longer drawn.
  assert.equal(await page.locator('.pieces .piece:not(.ghost)').count(), 6 + 5);
});

await checks('two jumps that land on one spot are told apart by the mouse', async () => {
  await newGame('basic+zertz', 'a person', 'a person');
  for (const which of [0, 1]) {
    await typed('basic+zertz 4/5/6/1Zs1sZ1/6/5/4 w 12 12 - 1 3');
    const targets = page.locator('.target .reach');
    assert.equal(await targets.count(), 2);
    assert.match(await text('question'), /^White: bring in a piece, or jump with a potential/);
    await page.mouse.click(...(await middle(targets.nth(which))));
    await until(() => document.querySelectorAll('#turns li').length === 1);
    assert.equal((await text('gpn')).split('/')[3], ['1SsJsZ1', '1ZsJsS1'][which]);
  }
});

await checks('a position is set up by mouse, and who wins is proven', async () => {
  await typed('basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0');
  await page.click('#edit');
  await page.click('#editor button:has-text("Black basic piece")');
  await page.click('.place[aria-label="spot e5"]');
  await page.click('#editor button:has-text("Use this position")');
  await until(() => document.getElementById('gpn').textContent.startsWith('basic 4/2S2/3s2/3s3/'));
  // A player who has brought in a basic piece may no longer bring in GIPF-pieces.
  await newGame('tournament', 'a person', 'a person');
  await page.click('#edit');
  for (const [kind, spot] of [['White GIPF-piece', 'e5'], ['White basic piece', 'd4'], ['Black GIPF-piece', 'f5']]) {
    await page.click(`#editor button:has-text("${kind}")`);
    await page.click(`.place[aria-label="spot ${spot}"]`);
  }
  for (const [player, count] of [['White', 15], ['Black', 16]]) await page.fill(`#editor label:has-text("${player}’s reserve") input`, String(count));
  await page.click('#editor button:has-text("Use this position")');
  await until(() => document.getElementById('gpn').textContent.endsWith(' w 15 16 g 0 0'));
  await typed('basic 4/2S2/3s2/3s3/1SSs2/Ss3/s3 w 6 3 - 0 0');
  // A reserve without a number is none of 0 pieces.
  await page.click('#edit');
  await page.fill('#editor input >> nth=0', '');
  await page.click('#editor button:has-text("Use this position")');
  assert.ok(await page.locator('#editor input >> nth=0').evaluate((field) => field === document.activeElement));
  await page.click('#editor button:has-text("Leave it")');
  await until(() => document.getElementById('editor').hidden);
  assert.ok(await page.locator('#resume').isHidden());
  // Anything else that is done with the game closes the editor, and shows the game; what was set up can be gone on with.
  for (const id of ['undo', 'back', 'hint']) {
    const before = await text('gpn');
    await plays(0);
    const shown = id === 'hint' ? await text('gpn') : before;
    await page.click('#edit');
    await page.click('#editor button:has-text("Empty the board")');
    await until(() => !document.querySelector('.pieces .piece'));
    await page.click(`#${id}`);
    await until((shown) => document.getElementById('gpn').textContent === shown, shown);
    await until(() => document.getElementById('editor').hidden && document.querySelector('.pieces .piece') && document.querySelector('.dot.open'));
    await page.click('#resume');
    await until(() => !document.querySelector('.pieces .piece') && !document.getElementById('editor').hidden);
    await page.click('#editor button:has-text("Leave it")');
    await until(() => document.querySelector('.pieces .piece') && document.getElementById('resume').hidden);
  }
  await typed('basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0');
  await page.click('#solve');
  await until(() => document.getElementById('verdict').textContent.startsWith('Proven: White wins'));
});

await checks('mistakes and puzzles are exercises, the answer hidden until it is asked for', async () => {
  const turns = await reviewed();
  await page.click('#learn');
  const says = (pattern, most) => has(page, '#lesson p', pattern, most);
  await says('^Exercise 1 of .*Find a better turn');
  await page.locator('#moves button').first().click();
  await says('Try again|is right', 5000);
  const answer = page.locator('#lesson button:has-text("Show the answer")');
  if (await answer.isEnabled()) await answer.click();
  await page.click('#lesson button:has-text("Back to the game")');
  await until((turns) => document.querySelectorAll('#turns li').length === turns, turns);
  await page.click('#puzzles');
  await says('Exercise 1 of|In no position', 120_000);
  await page.click('#lesson button:has-text("Back to the game")');
  await page.click('#posed');
  await says('^Exercise 1 of 300.*Difficulty 1');
  await page.click('#lesson button:has-text("Next")');
  await says('^Exercise 2 of 300');
  await page.click('#lesson button:has-text("Back to the game")');
  await page.click('#posed');
  await says('^Exercise 2 of 300');
  await page.click('#lesson button:has-text("Previous")');
  await says('^Exercise 1 of 300');
  assert.ok(await page.locator('#lesson button:has-text("Previous")').isDisabled());
  // A question about the game ends the exercises, and is about the game.
  await page.click('#puzzles');
  await says('Exercise 1 of \\d\\d?:|In no position', 120_000);
  await page.click('#lesson button:has-text("Back to the game")');
  await until((turns) => document.querySelectorAll('#turns li').length === turns, turns);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#page')]);
  await download.saveAs(`${process.env.FOLDER}/game.html`);
});

await checks('a rule is tried beside the game, which comes back', async () => {
  await newGame('standard', 'a person', 'a person');
  await plays(0, 1, 2);
  const gpn = await text('gpn');
  await page.evaluate(() => (document.getElementById('rules').open = true));
  await page.click('#rules button:has-text("Try it") >> nth=1');
  await until(() => document.getElementById('gpn').textContent === 'standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0');
  await plays(0);
  await page.click('#lesson button:has-text("Back to the game")');
  await until((gpn) => document.getElementById('gpn').textContent === gpn, gpn);
  await turns(3);
});

await checks('what belonged to the last game does not stay, and who can be asked is of the game that is shown', async () => {
  await reviewed();
  await goes('first');
  await page.click('#think');
  await until(() => document.getElementById('bar').getAttribute('aria-label').startsWith('White expects'));
  await page.click('#think');
  await page.selectOption('#variant', 'push-off');
  assert.equal(await page.inputValue('#adviser'), 'pretrained');
  await page.click('#posed');
  await has(page, '#lesson p', 'No puzzles');
  await newGame('push-off', 'a person', 'a person');
  assert.match(await page.inputValue('#adviser'), /^alpha-beta/);
  assert.ok(await page.locator('#lesson').isHidden());
  assert.equal(await page.getAttribute('#bar', 'aria-label'), 'no opinion yet');
  for (const id of ['mistake', 'learn']) assert.ok(await page.locator(`#${id}`).isDisabled());
});

await checks('small and large screens, without a fault of accessibility, in both themes', async () => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click('#theme');
  assert.notEqual(await ground(), light);
  await page.click('#theme');
  assert.equal(await ground(), light);
  await accessible('screen');
  const board = await page.locator('#board').boundingBox();
  assert.ok(board.width > 300 && board.height < 1000, JSON.stringify(board));
});

await checks('on a telephone held sideways all of the board is seen at once, and large enough', async () => {
  for (const [width, height] of [[844, 340], [740, 320], [667, 375]]) {
    await page.setViewportSize({ width, height });
    const board = await page.locator('#board').boundingBox();
    assert.ok(board.width > 280 && board.height <= height, JSON.stringify(board));
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

await import('./clocks.mjs');
await import('./kept.mjs');
await import('./runs.mjs');
await import('./web.mjs');
await leave();
