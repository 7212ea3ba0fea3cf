// What is kept, and what the page says, when a game is written, something ends or fails, or nobody sees the page.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { checks, folder, goes, has, middle, newGame, page, plays, reads, setsUp, shot, text, turns, typed, until, url } from './person.mjs';

const other = async (script) => {
  const made = await page.context().browser().newPage();
  if (script) await made.addInitScript(...script);
  return made;
};

// A page with the example game, which hears answers of one kind a second late: on fast machines they are there before
// anybody looks.
async function late(kind) {
  const made = await other([
    (kind) => {
      const listen = WebSocket.prototype.addEventListener;
      const hold = (hear) => (event) => (event.data.includes(`"answer":{"${kind}"`) ? setTimeout(hear, 1000, event) : hear(event));
      WebSocket.prototype.addEventListener = function (name, hear) {
        listen.call(this, name, name === 'message' ? hold(hear) : hear);
      };
    },
    kind,
  ]);
  await made.goto(url);
  await made.waitForSelector('.dot.open');
  await made.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  await made.fill('#record', readFileSync(process.env.EXAMPLE, 'utf8'));
  await made.click('#read');
  await has(made, '#told', '^official');
  return made;
}

// The page without the games of the checks before.
async function fresh() {
  await page.goto(url);
  await page.waitForSelector('.dot.open');
}

async function written() {
  await page.fill('#record', '');
  await page.click('#write');
  await until(() => document.getElementById('record').value !== '');
  return page.inputValue('#record');
}

await checks('what was read is written with its tags, its comments and its result', async () => {
  await reads('[White "Ann"]\n[Date "2024.05.01"]\n[Variant "standard"]\n\n1.d2/c6\n1/2-1/2\n% a fine beginning\n');
  await turns(2);
  let record = await written();
  for (const words of ['[White "Ann"]', '[Date "2024.05.01"]', '\n1/2-1/2\n', '% a fine beginning']) assert.ok(record.includes(words), record);
  await plays(0);
  record = await written();
  assert.ok(record.includes('[White "Ann"]') && !record.includes('1/2'), record);
  // A different game from the one that was read.
  await goes('first');
  await plays(0);
  assert.ok(!(await written()).includes('Ann'));
});

await checks('a game is read as it was written, in the midst of a turn and of push-off', async () => {
  await typed('standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0');
  await page.mouse.click(...(await middle(page.locator('.dot[aria-label="dot e1"] .reach'))));
  await page.locator('.target .reach').first().click();
  await page.waitForSelector('#choices button:has-text("Keep")');
  await reads(await written());
  await has(page, '#told', '^official');
  await page.waitForSelector('#choices button:has-text("Keep")');
  const leaving = async (choice) => (await page.hover(`#choices button:has-text("${choice}")`), page.locator('.piece.leaving').count());
  assert.deepEqual([await leaving('Keep'), await leaving('Take')], [0, 1]);
  await newGame('push-off', 'a person', 'a person');
  await plays(0, 0);
  const [gpn, record] = [await text('gpn'), await written()];
  await newGame('standard', 'a person', 'a person');
  await typed(record, gpn);
});

await checks('a game that another one takes the place of can be gone back to, with its clocks and its review', async () => {
  await fresh();
  await newGame('basic', 'a person', 'a person');
  await plays(0, 0, 0);
  const gpn = await text('gpn');
  const returns = async (to) => {
    await page.click('#before');
    await until((to) => document.getElementById('gpn').textContent === to, to);
  };
  for (const leave of [() => newGame('standard', 'a person', 'level:1'), () => typed('basic 4/5/6/7/6/5/4 w 12 12 - 0 0')]) {
    await leave();
    // What nothing was played in is not gone back to.
    await newGame('tournament', 'a person', 'a person');
    await returns(gpn);
    await turns(3);
    assert.deepEqual([await page.inputValue('#variant'), await page.inputValue('#black')], ['basic', 'a person']);
    assert.ok(await page.locator('#before').isHidden());
  }
  // Each is the one before the other.
  await newGame('standard', 'a person', 'a person');
  await plays(0);
  const later = await text('gpn');
  await returns(gpn);
  await returns(later);
});

await checks('games that are not over can all be gone back to, and the page asks before it is closed', async () => {
  await fresh();
  const played = [];
  for (const gpn of ['basic 4/5/6/7/6/5/4 w 12 12 - 0 0', 'basic 4/5/6/7/6/5/4 b 12 12 - 0 0']) {
    await typed(gpn);
    await plays(0);
    played.push(await text('gpn'));
  }
  const other = 'standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0';
  await typed(other);
  for (const gpn of [played[1], played[0], played[1]]) {
    await goes('before');
    assert.equal(await text('gpn'), gpn);
  }
  await typed(other);
  assert.ok(await page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))));
});

await checks('an exercise tells each right answer with its own continuation, and the mistake is none', async () => {
  const told = await page.evaluate(async () => {
    const { Study } = await import(new URL('study.js', location.href));
    const candidates = [['a1-b2', 0.1, 'best'], ['a2-b2', 0.09, 'other'], ['a3-b3', 0.08, 'played'], ['a4-b4', 0, 'worse']];
    const mistake = { position: 'basic 4/5/6/7/6/5/4 w 12 12 - 0 0', player: 'white', played: 'a3-b3', candidates: candidates.map(([turn, value, line]) => ({ turn, value, line: [line] })) };
    const app = { mistakes: () => [mistake], set: async () => {}, state: {} };
    const place = document.createElement('div');
    const study = new Study(app, place);
    const told = [];
    for (const [text] of candidates) {
      await study.learn();
      await app.onLook({ turns: [{ text }] });
      told.push(study.words.textContent);
    }
    return told;
  });
  for (const [at, pattern] of [/is right\. best$/, /is right\. other$/, /is not it/, /is not it/].entries()) assert.match(told[at], pattern);
});

await checks('the page of a game says who resigned', async () => {
  await newGame('standard', 'a person', 'a person');
  await plays(0);
  await page.click('#resign');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#page')]);
  const text = readFileSync(await download.path(), 'utf8');
  assert.match(text, /"remark":"Black resigned: White wins\."/);
  assert.ok(text.includes('"is_mistake":false') && !text.includes('"is_mistake":true'), 'it is no mistake');
});

await checks('a loss is told as the record has it', async () => {
  for (const [termination, told] of [['penalty', 'lost, as the record says'], ['Time forfeit', 'is out of time'], ['resignation', 'resigned'], ['', 'lost, as the record says']]) {
    await reads(`\ufeff[Variant "standard"]\n${termination && `[Termination "${termination}"]\n`}\n1.d2/c6\n0-1\n`);
    await has(page, '#question', `^White ${told}: Black wins\\.$`);
    assert.ok((await written()).includes(termination ? `"${termination}"` : '0-1'));
  }
});

await checks('what was thought of a position is told of no other one, and what has ended not as if it went on', async () => {
  await newGame('standard', 'a person', 'a person');
  await plays(0, 1, 2, 3, 4, 0);
  const bar = () => page.getAttribute('#bar', 'aria-label');
  await page.click('#hint');
  await until(() => document.getElementById('bar').getAttribute('aria-label').startsWith('White expects'));
  await goes('back');
  assert.equal(await bar(), 'no opinion yet');
  const slow = await late('review');
  await slow.click('#review');
  await has(slow, '#verdict', '^Reviewing');
  await slow.click('#resign');
  await slow.waitForTimeout(1500);
  assert.equal(await slow.textContent('#verdict'), '');
  await slow.close();
});

await checks('puzzles that nobody waits for any more are not shown', async () => {
  const slow = await late('puzzles');
  const gpn = () => slow.textContent('#gpn');
  const end = await gpn();
  for (const leave of ['#lesson button:has-text("Back to the game")', '#first']) {
    await slow.click('#puzzles');
    await slow.waitForSelector('#lesson:not([hidden])');
    await slow.click(leave);
    if (leave === '#first') await slow.waitForFunction((end) => document.getElementById('gpn').textContent !== end, end);
    const here = await gpn();
    await slow.waitForTimeout(2500);
    assert.ok(await slow.locator('#lesson').isHidden());
    assert.equal(await gpn(), here);
  }
  await slow.close();
});

await checks('potentials in hand are seen, and turns have their numbers where Black begins', async () => {
  await newGame('basic+zertz', 'a person', 'a person');
  assert.equal(await page.locator('.potentials:visible').count(), 2);
  await shot('potentials');
  await typed('basic 4/5/6/7/6/5/4 b 12 12 - 0 0');
  await plays(0, 0, 0);
  const begins = (await page.locator('#turns li').allTextContents()).map((turn) => /^(\d+\. (… )?)?/.exec(turn)[0]);
  assert.deepEqual(begins, ['1. … ', '2. ', '']);
});

await checks('who does not see the page hears what was played, what stands on a spot, and not each thought', async () => {
  await newGame('standard', 'a person', 'level:1');
  await plays(0);
  await has(page, '#spoken', '^Black has played ');
  await page.evaluate(() => {
    globalThis.heard = 0;
    const places = document.querySelectorAll('[role=status], [aria-live]');
    for (const place of places) new MutationObserver(() => globalThis.heard++).observe(place, { childList: true, characterData: true, subtree: true });
  });
  await page.click('#think');
  await has(page, '#verdict', '[1-9],\\d{3} positions');
  await page.waitForTimeout(2000);
  const heard = await page.evaluate(() => globalThis.heard);
  assert.ok(heard >= 1 && heard <= 3, `${heard}`);
  await page.click('#think');
  await page.click('#edit');
  const label = () => page.locator('.place').first().getAttribute('aria-label');
  await page.click('#editor button:has-text("Empty the board")');
  const before = await label();
  await page.locator('.place').first().focus();
  await page.keyboard.press('Enter');
  assert.equal(await label(), `${before}: White basic piece`);
  await page.click('#editor button:has-text("Leave it")');
  await until(() => document.getElementById('editor').hidden);
});

await checks('the name of the other theme follows the system', async () => {
  for (const [colorScheme, name] of [['dark', 'Light'], ['light', 'Dark']]) {
    await page.evaluate(() => {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem('theme');
    });
    await page.emulateMedia({ colorScheme });
    await has(page, '#theme', name);
  }
});

await checks('a text that is too long in the language of the page is refused, and nothing else', async () => {
  await page.evaluate(() => (document.getElementById('record').value = '[A ""]\n'.repeat(27_000)));
  await page.click('#read');
  await has(page, '#told', 'longer than any game');
  assert.equal(await text('connection'), '');
});

await checks('half a character in a text harms nothing', async () => {
  await page.evaluate(() => (document.getElementById('record').value = '[White "Ann \ud83d"]\n\n1.d2/c6\n'));
  await page.click('#read');
  await turns(2);
  assert.equal(await text('connection'), '');
  assert.match(await written(), /"Ann \ufffd"/);
});

// A page that loses its connection whenever it is asked something, while `isLost` is set.
const losing = () => {
  const Own = globalThis.WebSocket;
  globalThis.asked = [];
  globalThis.WebSocket = class extends Own {
    constructor(...given) {
      super(...given);
      globalThis.socket = this;
    }
    send(question) {
      globalThis.asked.push(JSON.parse(question).ask);
      if (globalThis.isLost && question.includes('"ask"')) this.close();
      else super.send(question);
    }
  };
};

await checks('what fails while the connection is lost is said, and what was said of anything else stays', async () => {
  const place = await other([losing]);
  const faults = [];
  place.on('pageerror', (error) => faults.push(error.message));
  await place.goto(url);
  await place.waitForSelector('.dot.open');
  const click = (id) => place.evaluate((id) => document.getElementById(id).click(), id);
  await place.selectOption('#variant', 'basic');
  await place.selectOption('#black', 'a person');
  await setsUp(place);
  for (const count of [1, 2]) {
    await place.evaluate(() => document.querySelector('#moves button').click());
    await place.locator('#turns li').nth(count - 1).waitFor();
  }
  for (const id of ['back', 'think', 'think', 'last', 'undo']) {
    await place.evaluate(() => (globalThis.isLost = true));
    await click(id);
    await has(place, '#connection', '.');
    await place.evaluate(() => (globalThis.isLost = false));
    await has(place, '#connection', '^$');
  }
  await has(place, '#question', '^Black: bring in');
  assert.deepEqual(faults, []);
  // What was said of the text before the connection was lost stays.
  await place.evaluate(() => (document.getElementById('record').value = 'basic 4/5'));
  await click('read');
  await has(place, '#told', 'expected');
  await place.evaluate(() => globalThis.socket.close());
  await has(place, '#connection', '.');
  await has(place, '#connection', '^$');
  await place.waitForTimeout(500);
  assert.match(await place.textContent('#told'), /expected/);
  await place.close();
});

await checks('what was to be taken back while nobody answered is still there', async () => {
  const place = await other([losing]);
  await place.goto(url);
  await place.waitForSelector('.dot.open');
  await place.selectOption('#black', 'a person');
  await setsUp(place);
  for (const count of [1, 2, 3]) {
    await place.evaluate(() => document.querySelector('#moves button').click());
    await place.locator('#turns li').nth(count - 1).waitFor();
  }
  await place.evaluate(() => globalThis.socket.close());
  await has(place, '#connection', '.');
  const undo = () => place.evaluate(() => document.getElementById('undo').click());
  for (const _ of [1, 2]) await undo();
  await has(place, '#connection', '^$');
  await place.waitForTimeout(500);
  assert.equal(await place.locator('#turns li').count(), 3);
  // With a connection each counts.
  for (const _ of [1, 2]) await undo();
  await place.waitForFunction(() => document.querySelectorAll('#turns li').length === 1);
  await place.close();
});

await checks('the program does not play the same game again', async () => {
  const seeds = [];
  for (const number of [0, 1]) {
    const place = await other([losing]);
    await place.goto(url);
    await place.waitForSelector('.dot.open');
    await place.evaluate(() => document.querySelector('#moves button').click());
    await place.locator('#turns li').nth(1).waitFor();
    seeds.push(...(await place.evaluate(() => globalThis.asked.filter((ask) => ask?.move).map(({ move }) => move.seed))));
    assert.equal(seeds.length, number + 1);
    await place.close();
  }
  assert.notEqual(seeds[0], seeds[1]);
});

await checks('a question that waits for others says so', async () => {
  const pages = [];
  // As many as the program has threads for, and one that waits; not many more than thirty pages are served.
  for (let waits = false; !waits; ) {
    if (pages.length > 30) return;
    const place = await other();
    await place.goto(url);
    await place.waitForSelector('.dot.open');
    await place.click('#think');
    await has(place, '#verdict', 'positions|for other pages first');
    waits = (await place.textContent('#verdict')).includes('for other pages first');
    pages.push(place);
  }
  await page.bringToFront();
  await page.click('#hint');
  await has(page, '#verdict', 'for other pages first');
  await page.click('#puzzles');
  await has(page, '#lesson p', 'for other pages first');
  await page.click('#lesson button:has-text("Back to the game")');
  await page.click('#solve');
  await has(page, '#verdict', '^Looking for a proof.*for other pages first');
  await goes('first');
  for (const place of pages) await place.close();
});

await checks('the first answers are asked for until they come', async () => {
  for (const word of ['hello', 'look']) {
    const loser = (word) => {
      const Own = globalThis.WebSocket;
      let isLost = false;
      globalThis.WebSocket = class extends Own {
        send(question) {
          if (isLost || !question.includes(word)) return super.send(question);
          isLost = true;
          this.close();
        }
      };
    };
    const place = await other([loser, word]);
    await place.goto(url);
    await place.waitForSelector('.dot.open');
    assert.equal(await place.textContent('#connection'), '');
    await place.close();
  }
});

// Begins a conversation with the program, as a page does.
async function conversation(address) {
  const { host, hostname, port, origin, pathname } = new URL(address);
  const socket = connect(Number(port), hostname);
  const head = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  socket.write([`GET ${pathname}socket HTTP/1.1`, `Host: ${host}`, `Origin: ${origin}`, ...head, '', ''].join('\r\n'));
  await once(socket, 'data');
  return socket;
}

await checks('why there is no connection is told', async () => {
  const start = async (...given) => {
    const program = spawn(process.env.GIPF, ['board', '--no-open', ...given], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    process.on('exit', () => program.kill('SIGINT'));
    const [data] = await once(program.stdout, 'data');
    return { program, address: /http:\S+/.exec(data)[0] };
  };
  const end = async ({ program }) => {
    const ended = once(program, 'exit');
    program.kill('SIGINT');
    await ended;
  };
  const first = await start();
  const place = await other();
  await place.goto(first.address);
  await place.waitForSelector('.dot.open');
  await place.evaluate(() => {
    document.getElementById('record').value = 'standard g3/5/6/SGSs3/6/5/3G b 9 12 - 0 0';
    document.getElementById('read').click();
  });
  await has(place, '#gpn', ' b 9 12 ');
  for (const count of [1, 2, 3]) {
    await place.evaluate(() => document.querySelector('#moves button').click());
    await place.locator('#turns li').nth(count - 1).waitFor();
  }
  const played = await place.textContent('#gpn');
  const held = [];
  for (let count = 1; count < 32; count++) held.push(await conversation(first.address));
  const late = await other();
  await late.goto(first.address);
  await has(late, '#connection', 'Too many pages');
  for (const socket of held) socket.destroy();
  await late.waitForSelector('.dot.open');
  await end(first);
  await has(place, '#connection', 'Is it running');
  // What is on the page can still be written down.
  await place.evaluate(() => document.getElementById('write').click());
  await has(place, '#told', 'Is it running.*The turns stand above');
  const record = await place.inputValue('#record');
  const second = await start('--port', new URL(first.address).port);
  await has(place, '#connection', 'started anew');
  for (const made of [place, late]) await made.close();
  await end(second);
  await typed(record, played);
  await turns(3);
});
