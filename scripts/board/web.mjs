// The page without a server: from a static host, with the program inside it.

import assert from 'node:assert/strict';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { accessible, checks, has, middle, page, places, setsUp, until, url } from './person.mjs';

const WEB = process.env.WEB;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
// A folder of the host, so that no address may start at the root.
const FOLDER = '/somewhere/gipf/';
const host = createServer(({ url: given }, response) => {
  const [asked] = given.split('?');
  const file = join(WEB, asked.slice(FOLDER.length) || 'index.html');
  if (!asked.startsWith(FOLDER) || asked.includes('..') || !existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
});
await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
const web = `http://127.0.0.1:${host.address().port}${FOLDER}`;
places.push(web);
const asked = [];
page.context().on('request', (request) => asked.push(request.url()));

// Asks the program of the page that is shown, without going through the page.
const ask = (questions) =>
  page.evaluate(async (questions) => {
    const { Engine } = await import(new URL('engine.js', location.href));
    const engine = new Engine(() => {});
    const answers = [];
    for (const question of questions) answers.push(await engine.ask(question).catch(({ message }) => ({ message })));
    return answers;
  }, questions);

const act = async (expected) => {
  await page.locator('#moves button').first().evaluate((made) => made.click());
  await until((count) => document.querySelectorAll('#turns li').length === count, expected, { timeout: 60_000 });
};

await checks('the program of the page is small, and has no threads', async () => {
  const program = readFileSync(join(WEB, 'gipf.wasm'));
  const bytes = brotliCompressSync(program).length;
  console.log(`${bytes} bytes with brotli, ${gzipSync(program).length} with gzip`);
  assert.ok(bytes <= 500_000, `${bytes}`);
  assert.ok(!program.includes('rayon'));
});

await checks('without a server a turn is played against a network, and against the baseline AI', async () => {
  asked.length = 0;
  await page.goto(web);
  await page.waitForSelector('.dot.open');
  assert.ok(!asked.some((address) => address.endsWith('.safetensors')), 'no network is fetched before it is needed');
  await act(2);
  assert.deepEqual(asked.filter((address) => address.endsWith('.safetensors')), [`${web}files/standard.safetensors`]);
  await page.selectOption('#black', 'alpha-beta:3');
  await setsUp(page);
  await page.mouse.click(...(await middle(page.locator('.dot.open .reach').first())));
  await page.locator('.target .reach').first().click();
  await until(() => document.querySelectorAll('#turns li').length === 2, null, { timeout: 60_000 });
});

await checks('without a server the page thinks until it is paused, and stays awake', async () => {
  await page.evaluate(() => {
    globalThis.longest = 0;
    let before = performance.now();
    const look = (now) => {
      globalThis.longest = Math.max(globalThis.longest, now - before);
      before = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.click('#think');
  await until(() => /[1-9],\d{3} positions/.test(document.getElementById('verdict').textContent), null, { timeout: 60_000 });
  await page.click('#think');
  await until(() => document.getElementById('verdict').textContent === '');
  await act(4);
  const longest = await page.evaluate(() => globalThis.longest);
  console.log(`the longest pause between two pictures: ${longest.toFixed(0)} ms`);
  assert.ok(longest < 500, `${longest} ms`);
  await page.click('#review');
  await until(() => document.getElementById('verdict').textContent.startsWith('Accuracy'), null, { timeout: 60_000 });
});

await checks('without a server runs are said to need one', async () => {
  await page.click('#to-runs');
  await until(() => /gipf board/.test(document.querySelector('#library .list')?.textContent));
  await accessible('web');
});

await checks('without a server games go on although what thinks cannot be fetched, and the program is asked for again', async () => {
  const place = await page.context().browser().newPage();
  const says = (selector, pattern) => has(place, selector, pattern, 60_000);
  await place.route('**/local.js', (route) => route.abort());
  await place.goto(web);
  await says('#connection', 'could not be fetched');
  await place.waitForSelector('.dot.open', { timeout: 60_000 });
  await says('#connection', '^$');
  await place.selectOption('#black', 'a person');
  await setsUp(place);
  const plays = (count) => place.evaluate(() => document.querySelector('#moves button').click()).then(() => place.waitForFunction((count) => document.querySelectorAll('#turns li').length === count, count));
  await plays(1);
  await place.route('**/worker.js', (route) => route.abort());
  await place.click('#think');
  await says('#verdict', 'positions');
  await place.click('#think');
  await place.click('#hint');
  await says('#verdict', 'could not be fetched');
  await plays(2);
  assert.equal(await place.textContent('#connection'), '');
  await place.unroute('**/worker.js');
  await place.click('#hint');
  await says('#verdict', 'positions');
  await place.close();
});

// Enough that some action of the first position of a tournament, where many are as good, is visited often.
const NODES = 1000;

// Everything in an answer that only the question may decide: the seconds depend on the machine, and so does how many
// positions of a proof fit into its memory.
const bare = ({ solved, ...answer }) => JSON.parse(JSON.stringify({ ...answer, solved: solved && { ...solved, nodes: 0 } }, (key, value) => (key === 'seconds' ? undefined : value)));

await checks('the page visits what the native program visits', async () => {
  await page.goto(url);
  const variants = ['basic', 'standard', 'tournament'];
  const sets = await ask(variants.map((variant) => ({ posed: { variant } })));
  const games = sets.flatMap(({ puzzles: { puzzles } }) => puzzles.filter((_, number) => number % 60 === 0)).map(({ start }) => ({ start }));
  games.push(...variants.map((variant) => ({ variant })));
  const moves = ['standard', 'basic+zertz', 'push-off'].flatMap((variant) => ['level:1', 'level:5', 'alpha-beta:3'].map((player) => ({ move: { game: { variant }, player, seed: 7 } })));
  const questions = [
    ...games.map((game) => ({ analyse: { game, player: 'pretrained', nodes: NODES } })),
    ...games.slice(0, 4).map((game) => ({ analyse: { game, player: 'alpha-beta:5', nodes: 5000 } })),
    ...moves,
    { review: { game: { variant: 'standard', actions: [0, 5, 9, 2] }, player: 'alpha-beta:2', nodes: 200 } },
    { solve: { game: { start: 'basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0' } } },
    { posed: { variant: 'standard' } },
    { analyse: { game: { variant: 'standard' }, player: 'pretrained', nodes: 4000 } },
  ];
  const native = await ask(questions);
  await page.goto(web);
  const alone = await ask(questions);
  for (const [number, question] of questions.entries()) assert.deepEqual(bare(alone[number]), bare(native[number]), JSON.stringify(question));
  // A search that finds a proof ends early.
  const long = native.slice(0, games.length).filter(({ thoughts }) => thoughts.nodes === NODES);
  assert.ok(long.length > games.length / 2 && long.every(({ thoughts }) => thoughts.candidates.some(({ visits }) => visits > 50)));
  const rate = ({ thoughts: { nodes, seconds } }) => Math.round(nodes / seconds);
  console.log(`${questions.length} answers; simulations a second: ${rate(native.at(-1))} native, ${rate(alone.at(-1))} in the page (${cpus()[0].model})`);
});

host.close();
