// Runs, ladders and datasets in the browser, and the files that need no program.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { accessible, checks, folder, gipf, has, page, shot, text, until, url } from './person.mjs';

const HOSTILE = 'runs/<img src=x onerror=alert(1)>';

await checks('a run is seen to grow while it is trained', async () => {
  await page.goto(`${url}#runs`);
  await page.waitForSelector('.chart');
  const training = spawn(process.env.GIPF, ['train', '--preset', 'smoke', '--run', 'runs/second', '--set', 'run.iterations=3'], { cwd: folder, stdio: 'ignore' });
  await page.check('input[value="runs/second"]', { timeout: 30_000 });
  for (const iteration of [1, 3]) {
    await until((iteration) => new RegExp(`iteration [${iteration}-9] of`).test([...document.querySelectorAll('.card')].find((card) => card.textContent.startsWith('runs/second'))?.textContent), iteration, { timeout: 60_000 });
  }
  await new Promise((resolve) => (training.exitCode === null ? training.on('exit', resolve) : resolve()));
  assert.equal(training.exitCode, 0);
  assert.match(await page.textContent('.legend'), /first.*second/);
  // Two runs with the same last name are shown with their whole names.
  cpSync(`${folder}/runs/first`, `${folder}/runs/old/first`, { recursive: true });
  await page.check('input[value="runs/old/first"]', { timeout: 30_000 });
  await has(page, '.legend', 'runs/first.*second.*runs/old/first');
  rmSync(`${folder}/runs/old`, { recursive: true });
  await page.selectOption('.shown select >> nth=0', 'hours');
  await accessible('runs');
});

await checks('a run that is removed is shown no more', async () => {
  const copy = `${folder}/runs/third`;
  cpSync(`${folder}/runs/first`, copy, { recursive: true });
  await page.check('input[value="runs/third"]', { timeout: 30_000 });
  const isShown = (is) => until((is) => [...document.querySelectorAll('.card')].some((card) => card.textContent.startsWith('runs/third')) === is, is);
  await isShown(true);
  rmSync(copy, { recursive: true });
  await isShown(false);
  assert.equal(await page.locator('input[value="runs/third"]').count(), 0);
  await has(page, '.shown [role=status]', '^$');
});

await checks('a run that cannot be read says so, and its name stays a text', async () => {
  mkdirSync(`${folder}/${HOSTILE}`, { recursive: true });
  writeFileSync(`${folder}/${HOSTILE}/config.toml`, 'x = [');
  await page.locator(`input[value="${HOSTILE}"]`).check({ timeout: 30_000 });
  await has(page, '.shown [role=status]', '<img.*config');
  assert.equal(await page.locator('img').count(), 0);
});

await checks('a ladder and a dataset are shown, and a game of it', async () => {
  // The folder was not there when the program was started.
  mkdirSync(`${folder}/ladder`);
  writeFileSync(`${folder}/ladder/late.jsonl`, '{"gipf-ladder": 1}');
  await page.locator('.list button:has-text("ladder/late.jsonl")').waitFor({ timeout: 30_000 });
  await page.click('.list button:has-text("with the program/standard")');
  await page.waitForSelector('.ladder circle');
  assert.ok((await page.locator('.ladder circle').count()) > 8);
  await accessible('ladder');
  await page.click('.list button:has-text("datasets/small")');
  await page.waitForSelector('dl');
  assert.equal(await page.locator('dd').first().textContent(), '5');
  for (const number of ['', '3']) {
    // Without a number there is no game to look at.
    assert.equal(await page.evaluate(() => location.hash), '#runs');
    await page.fill('.shown input[type=number]', number);
    await page.click('button:has-text("Look at it")');
  }
  await until(() => document.getElementById('told').textContent.startsWith('game 3 of datasets/small'));
  assert.ok((await page.locator('#turns li').count()) > 5);
});

await checks('a game can be asked for of a dataset that is too large to be counted', async () => {
  await page.goto(`${url}#runs`);
  cpSync(`${folder}/datasets/small`, `${folder}/datasets/large`, { recursive: true });
  for (const rest of ['_manifest.json', '_text']) rmSync(`${folder}/datasets/large/${rest}`, { recursive: true, force: true });
  const empty = `${folder}/datasets/large/games-00001.parquet`;
  writeFileSync(empty, '');
  truncateSync(empty, 513 * 2 ** 20);
  await page.click('.list button:has-text("datasets/large")', { timeout: 30_000 });
  await has(page, '.shown', 'too many to be counted');
  await page.fill('.shown input[type=number]', '2');
  await page.click('button:has-text("Look at it")');
  await until(() => document.getElementById('told').textContent.startsWith('game 2 of datasets/large'));
  rmSync(`${folder}/datasets/large`, { recursive: true });
});

await checks('a dataset that is removed is shown no more, and the list keeps the focus', async () => {
  await page.goto(`${url}#runs`);
  const ladder = page.locator('.list button:has-text("with the program/standard")');
  await ladder.focus();
  cpSync(`${folder}/datasets/small`, `${folder}/datasets/gone`, { recursive: true });
  const gone = page.locator('.list button:has-text("datasets/gone")');
  await gone.waitFor({ timeout: 30_000 });
  assert.ok(await ladder.evaluate((made) => made === document.activeElement));
  await gone.click();
  await page.waitForSelector('dl');
  rmSync(`${folder}/datasets/gone`, { recursive: true });
  await has(page, '.shown [role=status]', 'gone is no longer there');
  await page.waitForTimeout(2500);
  assert.match(await page.textContent('.shown [role=status]'), /no longer there/);
  assert.equal(await page.locator('dl').count(), 0);
});

await checks('runs that are followed end no reading of what else is looked at, and a lost connection is told while it is lost', async () => {
  const other = await page.context().browser().newPage();
  await other.addInitScript(() => {
    const Own = globalThis.WebSocket;
    globalThis.asked = [];
    // Answers come late.
    globalThis.WebSocket = class extends Own {
      send(question) {
        globalThis.asked.push(question);
        if (globalThis.isLost) this.close();
        else super.send(question);
      }
      addEventListener(kind, hear) {
        super.addEventListener(kind, kind === 'message' ? (event) => setTimeout(() => hear(event), 300) : hear);
      }
    };
  });
  await other.goto(`${url}#runs`);
  for (const name of ['runs/first', 'runs/second']) await other.check(`input[value="${name}"]`);
  await other.waitForFunction(() => document.querySelectorAll('.card').length === 2);
  await other.evaluate(() => (globalThis.asked = []));
  await other.waitForFunction(() => globalThis.asked.at(-1)?.includes('"runs/first"'));
  await other.click('.list button:has-text("datasets/small")');
  await other.waitForSelector('dl');
  await other.waitForTimeout(2500);
  const opened = await other.evaluate(() => globalThis.asked.filter((question) => question.includes('"open"')));
  assert.match(opened.at(-1), /datasets/);
  assert.equal(await other.locator('dl').count(), 1);
  await other.evaluate(() => (globalThis.isLost = true));
  const told = (text) => other.waitForFunction((text) => document.querySelector('.shown [role=status]').textContent === text, text, { timeout: 30_000 });
  await told('the program does not answer');
  await other.evaluate(() => (globalThis.isLost = false));
  await told('');
  assert.equal(await other.locator('dl').count(), 1);
  await other.close();
});

await checks('a network of a run is played against, and plays itself', async () => {
  for (const name of ['Play against it', 'Watch it play itself']) {
    await page.goto(`${url}#runs`);
    await page.reload();
    await page.locator(`button:has-text("${name}")`).first().click();
    // The board that was there is shown until the new game has begun.
    await until(() => document.getElementById('black').value.startsWith('runs/'));
    if (name.startsWith('Play')) await page.evaluate(() => document.querySelector('#moves button').click());
    await until(() => document.querySelectorAll('#turns li').length >= 2, null, { timeout: 30_000 });
    assert.match(await page.inputValue('#black'), /^runs\/.* @ \d+$/);
  }
});

await checks('a report and a game as files that need nothing else', async () => {
  assert.match(gipf('report', 'runs/first', 'runs/second', '--out', 'report.html'), /2 runs, 2 games/);
  await page.goto(`file://${folder}/report.html`);
  await page.waitForSelector('.chart');
  assert.equal(await page.locator('.replay').count(), 2);
  await page.locator('[aria-label="To the end"]').first().click();
  assert.match(await page.textContent('.replay p'), /wins|Nobody/);
  await accessible('report');
  await page.goto(`file://${folder}/game.html`);
  for (let turn = 0; turn < 6; turn++) await page.click('[aria-label="On"]');
  await until(() => document.querySelectorAll('.replay .piece').length >= 5);
  await shot('game');
  await page.goto(url);
  await page.waitForSelector('.dot.open');
  assert.equal(await text('connection'), '');
});
