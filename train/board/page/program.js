// The program for browsers, as a module of WebAssembly with three functions (`web.rs` says what they do).

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Program {
  // Returns the program, which passes its answers to `tell`.
  static async of(module, tell) {
    const program = new Program();
    const told = (at, length) => tell(JSON.parse(decoder.decode(new Uint8Array(program.parts.memory.buffer, at, length))));
    const gipf = { told, milliseconds: () => performance.now() };
    program.parts = (await WebAssembly.instantiate(module, { gipf })).exports;
    return program;
  }

  write(...texts) {
    let at = this.parts.reserve(texts.reduce((sum, { length }) => sum + length, 0));
    for (const text of texts) {
      new Uint8Array(this.parts.memory.buffer).set(text, at);
      at += text.length;
    }
  }

  ask(question) {
    this.write(encoder.encode(JSON.stringify(question)));
    this.parts.ask();
  }

  give(name, bytes) {
    const text = encoder.encode(name);
    this.write(text, bytes);
    this.parts.give(text.length);
  }
}
