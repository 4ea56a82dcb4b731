import { curlJson } from '../../code/literal.ts'
import type { Snippet } from '../../code/snippet.ts'
import { dialogueBody, type Script } from './script.ts'

/** Code that makes the dialogue on the screen. */
export function dialogueSnippets(script: Script): readonly Snippet[] {
  const body = dialogueBody(script)
  const output = `dialogue.${script.format}`
  return [
    {
      kind: 'core',
      title: 'TypeScript',
      file: 'dialogue.ts',
      install: 'npm install @svc-audio/core',
      run: 'node dialogue.ts',
      code: `import { AudioClient } from '@svc-audio/core'

const audio = new AudioClient()
const dialogue = await audio.dialogue.create(${JSON.stringify(body, undefined, 2)})
await dialogue.saveTo('${output}')
await audio.close()
`,
    },
    {
      kind: 'curl',
      title: 'curl',
      file: 'dialogue.sh',
      run: 'sh dialogue.sh',
      code: curlJson('/v1/audio/speech/speakers', body, output),
    },
  ]
}
