// A person at the browser: the program and the page, and what every check needs.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// The program works in a folder of its own, in which runs and datasets are made if there are none.
export const folder = process.env.FOLDER;
export const gipf = (...args) => {
  const ended = spawnSync(process.env.GIPF, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(ended.status, 0, `${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout;
};
if (!existsSync(`${folder}/runs`)) {
  gipf('train', '--preset', 'smoke', '--run', 'runs/first', '--set', 'run.iterations=2');
  gipf('self-play', '--agent', 'random', '--games', '5', '--out', 'datasets/small');
}

export const program = spawn(process.env.GIPF, ['board', '--no-open'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
export const began = Date.now();
export const url = await new Promise((resolve, reject) => {
  program.stdout.on('data', (data) => resolve(/http:\S+/.exec(data)?.[0]));
  program.on('exit', () => reject(new Error('the program ended')));
});
process.on('exit', () => program.kill('SIGINT'));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
export const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const faults = [];
// The addresses that the page may load from.
export const places = ['data:', 'blob:', url, `file://${folder}/`];
const isHere = (address) => places.some((place) => address.startsWith(place));
page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
page.on('pageerror', (error) => faults.push(error.message));
page.on('request', (request) => isHere(request.url()) || faults.push(`asks ${request.url()}`));

export const text = (id) => page.textContent(`#${id}`);
export const shot = (name) => page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
export const until = (what, ...given) => page.waitForFunction(what, ...given);
// Waits until what a selector finds says this; it may not be there yet.
export const has = (place, selector, pattern, timeout = 30_000) => place.waitForFunction(isSaid, [selector, pattern], { timeout });
const isSaid = ([selector, pattern]) => {
  const found = document.querySelector(selector);
  return found && new RegExp(pattern).test(found.textContent);
};
export const middle = async (locator) => {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
};

export async function checks(name, check) {
  await check();
  assert.deepEqual(faults, [], name);
  console.log(`ok: ${name}`);
}

// Sets up the game that was chosen, and waits for it: the buttons of the game before would play nothing.
export async function setsUp(place) {
  // The two may have the same position.
  await place.evaluate(() => (document.getElementById('gpn').textContent = ''));
  await place.click('#setup button');
  await has(place, '#gpn', '.', 60_000);
}

// Begins a game.
export async function newGame(variant, white, black) {
  await page.selectOption('#variant', variant);
  await page.selectOption('#white', white);
  await page.selectOption('#black', black);
  await setsUp(page);
  await until((variant) => document.getElementById('gpn').textContent.startsWith(`${variant} `) && document.querySelectorAll('#turns li').length === 0, variant);
}

// Reads a position text or a game.
export async function reads(text) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  await page.fill('#record', text);
  await page.click('#read');
}

// Reviews the example game, and returns the number of its turns.
export async function reviewed() {
  await reads(readFileSync(process.env.EXAMPLE, 'utf8'));
  await until(() => document.getElementById('told').textContent.startsWith('official'));
  const turns = await page.locator('#turns li').count();
  await page.click('#review');
  await until(() => document.getElementById('verdict').textContent.startsWith('Accuracy'), null, { timeout: 120_000 });
  return turns;
}

// Reads a text, and waits for its position.
export async function typed(text, gpn = text) {
  await reads(text);
  await until((gpn) => document.getElementById('gpn').textContent === gpn, gpn);
}

// Does something, and waits until another position is shown.
export async function shows(act) {
  const before = await text('gpn');
  await act();
  await until((before) => document.getElementById('gpn').textContent !== before, before);
}

export const goes = (id) => shows(() => page.click(`#${id}`));

// Plays legal actions by their places in the list of all moves.
export async function plays(...places) {
  for (const place of places) await shows(() => page.locator('#moves button').nth(place).evaluate((made) => made.click()));
}

export const turns = (count) => until((count) => document.querySelectorAll('#turns li').length === count, count);

// Asks axe-core about what is shown, in both themes, on a small and a large screen; nothing may be too wide for them.
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const SCREENS = [[360, 780], [1600, 1000]];
export async function accessible(name) {
  for (const [theme, [width, height]] of ['light', 'dark'].flatMap((theme) => SCREENS.map((screen) => [theme, screen]))) {
    const place = `${name}-${theme}-${width}`;
    await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
    await page.setViewportSize({ width, height });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `${place}: ${wider} too wide`);
    await shot(place);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`);
    assert.deepEqual(told, [], place);
  }
  await page.evaluate(() => delete document.documentElement.dataset.theme);
  await page.setViewportSize({ width: 1280, height: 900 });
}

export async function leave() {
  await browser.close();
  const ended = new Promise((resolve) => program.on('exit', resolve));
  program.kill('SIGINT');
  assert.equal(await ended, 0);
  console.log('ok: Ctrl-C ends the program');
}
