// Games by the clock. A page with a clock of the test's own sees the time that the test sets.

import assert from 'node:assert/strict';
import { checks, has, page, setsUp, url } from './person.mjs';

const turns = (place, count) => place.locator('#turns li').nth(count - 1).waitFor();
const plays = (place) => place.evaluate(() => document.querySelector('#moves button').click());
const clicks = (place, id) => place.evaluate((id) => document.getElementById(id).click(), id);
const seconds = async (place, player) => {
  const [, minutes, rest] = /(\d+):(\d\d)/.exec(await place.textContent(`#clock-${player}`));
  return 60 * Number(minutes) + Number(rest);
};

// A page with a game of two people in which each has played a turn, so that White's clock runs. `script` is run before the page.
async function clocked(script) {
  const place = await page.context().browser().newPage();
  if (script) await place.addInitScript(script);
  await place.clock.install();
  await place.goto(url);
  await place.waitForSelector('.dot.open');
  await place.selectOption('#clock', '300+3');
  await place.selectOption('#black', 'a person');
  await setsUp(place);
  await place.waitForSelector('#clock-white', { state: 'visible' });
  await place.waitForTimeout(500);
  for (const count of [1, 2]) {
    await plays(place);
    await turns(place, count);
  }
  await place.waitForSelector('#clock-white.runs');
  return place;
}

await checks('a clock runs while one looks back, also once the editor was left', async () => {
  const place = await clocked();
  await clicks(place, 'back');
  await place.waitForSelector('#clock-white.runs');
  await clicks(place, 'edit');
  await place.waitForFunction(() => !document.getElementById('editor').hidden && !document.querySelector('#clock-white.runs'));
  await place.evaluate(() => [...document.querySelectorAll('#editor button')].find((made) => made.textContent === 'Leave it').click());
  await place.waitForSelector('#clock-white.runs');
  const before = await seconds(place, 'white');
  await place.clock.runFor(5000);
  assert.ok((await seconds(place, 'white')) <= before - 4);
  await place.close();
});

await checks('whose flag falls may finish the turn, and has lost', async () => {
  const place = await clocked();
  const said = async (id, words) => assert.match(await place.textContent(id), words);
  for (const [seconds, warning] of [[245, 'a minute left'], [50, 'ten seconds left'], [15, 'the flag has fallen']]) {
    await place.clock.runFor(1000 * seconds);
    await said('#warning', new RegExp(`^White: ${warning}`));
  }
  await said('#clock-white', /the flag has fallen, 0:5\d/);
  await plays(place);
  await turns(place, 3);
  await said('#question', /White is out of time: Black wins/);
  await clicks(place, 'write');
  await place.waitForFunction(() => /Termination "time"/.test(document.getElementById('record').value));
  // Moves tried after that have no clock.
  await place.click('#undo');
  await place.locator('#turns li').nth(2).waitFor({ state: 'detached' });
  await place.clock.runFor(1000);
  await said('#question', /^White(?! is out)/);
  assert.ok(await place.locator('#clock-white').isHidden());
  await clicks(place, 'read');
  await has(place, '#question', 'White is out of time: Black wins');
  // Noticed late.
  await setsUp(place);
  for (const count of [1, 2]) {
    await plays(place);
    await turns(place, count);
  }
  await place.clock.fastForward(1000 * 500);
  await said('#clock-white', /0:00 for this turn/);
  await place.close();
});

await checks('each turn brings its increment once, whatever is tried beside it', async () => {
  const place = await clocked();
  for (const count of [3, 4, 5, 6]) {
    await plays(place);
    await turns(place, count);
  }
  const before = [await seconds(place, 'white'), await seconds(place, 'black')];
  for (let time = 0; time < 2; time++) {
    await clicks(place, 'first');
    await place.waitForFunction(() => document.querySelector('#first') && !document.querySelector('#turns [aria-current]'));
    await place.evaluate(() => document.querySelectorAll('#moves button')[1].click());
    await place.locator('#turns li').nth(1).waitFor({ state: 'detached' });
    await clicks(place, 'undo');
    await turns(place, 6);
    await clicks(place, 'last');
    await place.waitForSelector('#turns li:nth-child(6) [aria-current]');
  }
  const after = [await seconds(place, 'white'), await seconds(place, 'black')];
  assert.ok(after.every((left, index) => left <= before[index]), `${before} ${after}`);
  await place.close();
});

await checks('nobody loses on time while the program does not answer', async () => {
  const place = await clocked(() => {
    const Own = globalThis.WebSocket;
    globalThis.WebSocket = class extends Own {
      constructor(...given) {
        super(...given);
        globalThis.socket = this;
        if (globalThis.isCut) this.close();
      }
    };
  });
  await place.evaluate(() => {
    globalThis.isCut = true;
    globalThis.socket.close();
  });
  await has(place, '#connection', '.');
  await plays(place);
  await place.clock.runFor(400_000);
  assert.doesNotMatch(await place.textContent('#question'), /out of time/);
  await place.evaluate(() => (globalThis.isCut = false));
  await place.clock.runFor(3000);
  await place.waitForSelector('#clock-white.runs');
  await has(place, '#question', '^White');
  await plays(place);
  await turns(place, 3);
  await place.waitForSelector('#clock-black.runs');
  await place.close();
});

await checks('whoever looks back is told whose time is up', async () => {
  const place = await clocked();
  await clicks(place, 'back');
  await place.waitForSelector('#turns li:nth-child(1) [aria-current]');
  await place.clock.runFor(400_000);
  await has(place, '#warning', '^White: out of time');
  await has(place, '#told', 'White is out of time: Black wins');
  await clicks(place, 'last');
  await has(place, '#question', 'White is out of time: Black wins');
  await place.close();
});

await checks('a flag does not fall while a position is set up', async () => {
  const place = await clocked();
  await clicks(place, 'edit');
  await place.waitForSelector('#editor button', { state: 'attached' });
  await place.clock.runFor(400_000);
  assert.equal(await place.evaluate(() => document.getElementById('editor').hidden), false);
  await place.evaluate(() => [...document.querySelectorAll('#editor button')].find(({ textContent }) => textContent === 'Leave it').click());
  await place.waitForSelector('#clock-white.runs');
  await place.close();
});
