// What the program thinks of a position while it thinks: a verdict, a bar, the line that it expects, and the best actions.

import { showCandidates, speak, verdict } from './show.js';

const $ = (id) => document.getElementById(id);
// Milliseconds between two thoughts that are read out.
const PAUSE = 10_000;

export class Thoughts {
  // `play(action)` plays a candidate.
  constructor(board, play) {
    Object.assign(this, { board, play, spokenAt: -Infinity });
  }

  show({ thoughts }) {
    const { value, line_text: words, candidates } = thoughts;
    $('verdict').textContent = verdict(thoughts);
    $('line').textContent = words ? `Expected: ${words}` : '';
    if (value !== null) this.weigh(value, `White expects ${value.toFixed(2)}`);
    this.speakNowAndThen();
    const best = candidates.slice(0, 6);
    this.board.advise(best);
    $('candidates').hidden = !best.length;
    const preview = (action) => this.board.preview(this.board.view.legal.find((legal) => legal.action === action) ?? null);
    showCandidates($('candidates').tBodies[0], best, this.play, preview);
  }

  forget() {
    for (const id of ['verdict', 'line']) $(id).textContent = '';
    $('candidates').hidden = true;
    this.weigh(0, 'no opinion yet');
    this.board.advise([]);
  }

  weigh(value, words) {
    $('bar-white').style.height = `${50 + 50 * value}%`;
    $('bar').setAttribute('aria-label', words);
  }

  speakNowAndThen() {
    const now = performance.now();
    if (now - this.spokenAt < PAUSE) return;
    this.spokenAt = now;
    speak($('verdict').textContent);
  }
}
