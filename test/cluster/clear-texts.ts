import { execa } from 'execa';

/** Parts of questions, observations, errors of tools and errors of the model, as the agents and the model of chaos write them. */
const CONTENTS = ['Question of run-', 'handed over ', 'fails after its effect', 'The server had an error'];

/** The contents of runs that files in these folders have in clear. */
export async function clearTexts(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const text of CONTENTS) {
    const { exitCode = 2, stderr } = await execa('grep', ['-rqaF', '-e', text, ...folders], {
      reject: false,
    });
    if (exitCode > 1) throw new Error(`grep failed: ${stderr}`);
    if (exitCode === 0) found.push(text);
  }
  return found;
}
