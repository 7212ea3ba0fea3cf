// What a review says about the turns of a line: it may be the whole game that was reviewed, or leave it somewhere.

export const lossOf = ({ severity, loss }) => `${severity}: loses ${loss.toFixed(2)} of the expected result`;

// The same with what would have been better, as far as that is known.
export const faultOf = (turn) => `${lossOf(turn)}.${turn.candidates.length ? ` Better: ${turn.candidates[0].turn}` : ''}`;

export class Review {
  // The program's answer: the analysis of a game, and the comments that keep it in a record.
  constructor({ analysis, comments }) {
    Object.assign(this, { analysis, comments });
  }

  // The turns with the number of actions before and after each, as far as they are those of the line.
  turns(line) {
    let at = 0;
    const turns = [];
    for (const turn of this.analysis.turns) {
      const end = at + turn.actions.length;
      if (turn.actions.some((action, place) => line[at + place] !== action)) break;
      turns.push({ ...turn, at, end });
      at = end;
    }
    return turns;
  }

  mistakes(line) {
    return this.turns(line).filter(({ severity }) => severity);
  }

  // Whether the review is of this line, and of nothing else.
  covers(line) {
    const turns = this.turns(line);
    return turns.length > 0 && turns.length === this.analysis.turns.length && turns.at(-1).end === line.length;
  }

  // What the game was worth before each turn and after the last, by number of actions.
  points(line) {
    const turns = this.turns(line);
    const points = turns.map(({ at, value, severity }) => ({ at, value, drop: severity }));
    const after = (this.analysis.turns[turns.length] ?? this.analysis.end).value;
    return turns.length ? [...points, { at: turns.at(-1).end, value: after }] : [];
  }

  get accuracy() {
    const shares = this.analysis.players.map(({ accuracy }) => (accuracy === null ? '–' : `${accuracy.toFixed(0)} %`));
    return `White ${shares[0]}, Black ${shares[1]}`;
  }
}
