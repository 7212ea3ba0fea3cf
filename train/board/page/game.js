// A game with its variations: a tree of actions, and the place in it that is shown.

export class Game {
  constructor(start, actions = []) {
    this.start = start;
    this.root = { action: null, parent: null, children: [] };
    this.here = this.root;
    for (const action of actions) this.play(action);
  }

  // Plays an action here: a variation if another one was played before.
  play(action) {
    let child = this.here.children.find((child) => child.action === action);
    if (!child) {
      child = { action, parent: this.here, children: [] };
      this.here.children.push(child);
    }
    // Going forward follows what was played last.
    this.here.children = [child, ...this.here.children.filter((other) => other !== child)];
    this.here = child;
  }

  get path() {
    const path = [];
    for (let node = this.here; node.parent; node = node.parent) path.unshift(node.action);
    return path;
  }

  // The actions from here on that were played last.
  get ahead() {
    const ahead = [];
    for (let node = this.here; node.children.length; node = node.children[0]) ahead.push(node.children[0].action);
    return ahead;
  }

  get whole() {
    return [...this.path, ...this.ahead];
  }

  get isAtEnd() {
    return this.here.children.length === 0;
  }

  // Where the line that is shown ends. `lost` of an end says who gave the game up there, if anybody did.
  get end() {
    let node = this.here;
    while (node.children.length) node = node.children[0];
    return node;
  }

  // Goes to the place after this many actions of the line that is shown.
  go(count) {
    const whole = this.whole;
    this.here = this.root;
    for (const action of whole.slice(0, count)) this.here = this.here.children.find((child) => child.action === action);
  }

  // Goes back to the first `count` actions, and removes those after them that no other line has: what was played
  // elsewhere stays, and is ahead again.
  cut(count) {
    for (let left = this.path.length; left > count && this.isAtEnd; left--) {
      const { here } = this;
      this.here = here.parent;
      this.here.children = this.here.children.filter((child) => child !== here);
    }
    this.go(count);
  }

  // What the record said when the game was read, as long as the line that is shown is that game, or goes on from its
  // end.
  get said() {
    const { whole } = this;
    return this.wasRead?.actions.every((action, place) => whole[place] === action) ? this.wasRead.said : undefined;
  }

  text(actions = this.path) {
    return { start: this.start, actions };
  }
}
