// The program in a worker of the page: it writes questions into its memory, and passes on what it tells.

import { Program } from './program.js';

let program;

addEventListener('message', async ({ data }) => {
  if (data.program) program = Program.of(data.program, (message) => tell(message));
  else if (data.file) (await program).give(data.file.name, new Uint8Array(data.file.bytes));
  else answer(await program, data.question);
});

let asked;

const tell = (message) => postMessage(message.needs ? { ...message, question: asked } : message);

function answer(ready, question) {
  asked = question;
  try {
    ready.ask(question);
  } catch {
    postMessage({ id: question.id, done: true, error: 'the program failed at this question', broken: true });
  }
}
