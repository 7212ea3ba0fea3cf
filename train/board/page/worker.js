// The program in a worker of the page: it writes questions into the program's memory, and passes on the answers.

import { Program } from './program.js';

let program;

addEventListener('message', async ({ data }) => {
  if (data.program) program = Program.of(data.program, (message) => tell(message));
  else if (data.file) (await program).give(data.file.name, new Uint8Array(data.file.bytes));
  else answer(data.question);
});

let asked;

const tell = (message) => postMessage(message.needs ? { ...message, question: asked } : message);

async function answer(question) {
  try {
    const ready = await program;
    asked = question;
    ready.ask(question);
  } catch {
    postMessage({ id: question.id, done: true, error: 'the program failed at this question', broken: true });
  }
}
