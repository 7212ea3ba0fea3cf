// The rules in a minute, with positions to try.

const RULES = [
  ['Bring in a piece', 'In your turn you put a piece on a dot at the edge and push it one step along a line, onto the first spot. What stands there is pushed on, as far as there are pieces without a gap. A line that is full cannot be entered.', null],
  ['Four in a row', 'Four pieces of one colour next to each other on a line are removed, together with every piece that touches them on the line. Your own go back to your reserve; the opponent’s are captured and out of the game.', 'standard g3/5/6/1SSSs2/6/5/3G w 9 12 - 0 0'],
  ['GIPF-pieces', 'Two pieces on top of each other. Whoever removes a row keeps each GIPF-piece in it, of either colour, on the board or takes it off. In standard and tournament a player without a GIPF-piece on the board has lost.', 'standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0'],
  ['The end', 'Whoever has no piece left to bring in when it is their turn has lost. So capture, and keep your own pieces coming back.', null],
  ['Potentials', 'In the rule sets with +zertz a basic piece may be brought in with a potential on top. In a later turn the potential may jump, instead of a placement: along a line over the pieces next to it, whosever they are, onto the first free spot behind them. There it stays as a piece of your colour without powers; the basic piece stays where it was.', null],
  ['Push-off', 'Another game on the same board. A push moves every piece on the line, over gaps too. A basic piece that is pushed off goes back to its owner’s reserve; a GIPF-piece cannot be pushed off. The basic pieces of a row go back to their owners, and whoever pushed decides whether those of the other colour at its ends go too. A player without a GIPF-piece on the board has lost.', 'push-off g2G/5/6/G5g/SsS1sS/5/g2G w 15 16 - 0 0'],
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
      button.addEventListener('click', () => tryIt(title, gpn));
      part.append(button);
    }
    place.append(part);
  }
}
