// The pictures of the documentation: a reviewed game while a player thinks along, and runs drawn over one another.

import { readdirSync } from 'node:fs';
import { folder, leave, page, reviewed, until, url } from './person.mjs';

const picture = (name, options = {}) => page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, ...options });

await page.goto(url);
await reviewed();
await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = false)));
await page.click('#first');
for (let mistake = 0; mistake < 8; mistake++) await page.click('#mistake');
await page.click('#think');
await page.waitForTimeout(4000);
await picture('board');
await page.click('#think');

await page.click('#to-runs');
const runs = readdirSync(`${folder}/runs`);
for (const run of runs) await page.check(`input[value="runs/${run}"]`);
await until((count) => document.querySelectorAll('.card').length === count && document.querySelectorAll('.chart').length > 3, runs.length);
// How long they took says more about the machine than about the runs.
await page.setViewportSize({ width: 1280, height: 1400 });
const [first, fourth] = await Promise.all([0, 3].map((place) => page.locator('.chart').nth(place).boundingBox()));
const EDGE = 6;
const [x, y] = [first.x - EDGE, first.y - EDGE];
await picture('runs', { clip: { x, y, width: fourth.x + fourth.width + EDGE - x, height: fourth.y + fourth.height + EDGE - y } });
await leave();
