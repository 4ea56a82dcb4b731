import { coreSnippet, langchainSnippet, PATH_ARGUMENT } from '../../../code/client-code.ts'
import { fieldLines, literal, shellWord } from '../../../code/literal.ts'
import type { Snippet } from '../../../code/snippet.ts'
import type { TaskRequest } from './task-request.ts'

/** A program that creates the task, follows it, and saves its result. */
export function coreTask({ kind, resource, settings, text, format, fileName }: TaskRequest): Snippet {
  const transcribes = kind === 'transcription'
  const fields = kind === 'speech' ? { input: text, ...settings } : settings
  return coreSnippet({
    file: 'task.ts',
    args: transcribes ? shellWord(fileName) : '',
    before: transcribes ? PATH_ARGUMENT : '',
    code: `const task = await audio.${resource}.createTask({
${fieldLines(fields)}${transcribes ? '\n  file: path,' : ''}
})
console.log(\`Created \${task.id}\`)

// Ctrl+C cancels the task. The wait then rejects.
process.once('SIGINT', () => void task.cancel())

const ended = await task.wait({ onUpdate: ({ status }) => console.log(status) })
${
  transcribes
    ? 'console.log(ended.text)'
    : `const result = await audio.download(ended)
await result.saveTo('task.${format}')`
}`,
  })
}

/** An agent's tools for long transcriptions. */
export function langchainTask({ fileName }: TaskRequest): Snippet {
  return langchainSnippet({
    options: { voice_id: 'rms' },
    optionLines: ['  allowedRoot: process.cwd(),'],
    code: `const { artifact } = await toolkit.startTranscription.invoke({
  type: 'tool_call',
  id: '1',
  name: 'start_transcription',
  args: { audio: ${literal(`./${fileName}`)} },
})
const { taskId: task_id } = artifact
console.log(\`Created \${task_id}\`)

// A model asks again later. This program waits.
await client.tasks.wait(task_id)
console.log(await toolkit.getTranscription.invoke({ task_id }))`,
  })
}
