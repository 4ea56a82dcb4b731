import { fieldLines, literal, shellWord } from './literal.ts'
import type { Snippet } from './snippet.ts'

/** A program of the AI SDK. */
export interface AiSdkCode {
  /** Name of the file. */
  readonly file: string
  /** Name from `node:fs/promises`. Without one, nothing is imported from there. */
  readonly fs?: 'readFile' | 'writeFile'
  /** Function of the AI SDK. */
  readonly call: 'generateSpeech' | 'transcribe'
  readonly model: string
  readonly fields: object
  /** Lines of fields that are code, two spaces deep. */
  readonly fieldCode?: readonly string[]
  /** Uses `result`. */
  readonly after: string
}

/** A program of the AI SDK with the svc audio provider. */
export function aiSdkSnippet({ file, fs, call, model, fields, fieldCode = [], after }: AiSdkCode): Snippet {
  const before = fs === undefined ? '' : `import { ${fs} } from 'node:fs/promises'\n`
  const maker = call === 'generateSpeech' ? 'speech' : 'transcription'
  const lines = [`  model: svcAudio.${maker}(${literal(model)}),`, ...fieldCode, fieldLines(fields)]
  return {
    kind: 'ai-sdk',
    title: 'AI SDK',
    file,
    install: 'npm install @svc-audio/ai-sdk ai',
    run: `node ${shellWord(file)}`,
    code: `${before}import { svcAudio } from '@svc-audio/ai-sdk'
import { ${call} } from 'ai'

const result = await ${call}({
${lines.filter((line) => line !== '').join('\n')}
})
${after}
`,
  }
}
