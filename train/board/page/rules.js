// The rules in a minute, with positions to try.

const RULES = [
  ['Bring in a piece', 'In your turn you put a piece on a dot at the edge and push it one step along a line, onto the first spot. What stands there is pushed on, as far as there are pieces without a gap. A line that is full cannot be entered.', null],
  ['Four in a row', 'Four pieces of one colour next to each other on a line are removed, together with every piece that touches them on the line. Your own go back to your reserve; the opponent’s are captured and out of the game.', 'standard g3/5/6/1SSSs2/6/5/3G w 9 12 - 0 0'],
  ['GIPF-pieces', 'Two pieces on top of each other. If one is in a row, its owner may keep it on the board or take it off. In standard and tournament a player without a GIPF-piece on the board has lost.', 'standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0'],
  ['The end', 'Whoever has no piece left to bring in when it is their turn has lost. So capture, and keep your own pieces coming back.', null],
];

export function showRules(place, tryIt) {
  for (const [title, text, gpn] of RULES) {
    const part = document.createElement('section');
    const head = document.createElement('h2');
    const words = document.createElement('p');
    head.textContent = title;
    words.textContent = text;
    part.append(head, words);
    if (gpn) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'Try it';
      button.addEventListener('click', () => tryIt(gpn));
      part.append(button);
    }
    place.append(part);
  }
}
