import { fieldLines, shellWord } from './literal.ts'
import type { Snippet } from './snippet.ts'

/** Code of the official OpenAI client, after its creation. */
export interface OpenaiCode {
  /** Name of the file. */
  readonly file: string
  /** Names from `node:fs` or its promises, as an import line. */
  readonly before: string
  /** Method of `client.audio`, e.g. `speech`. */
  readonly call: 'speech' | 'transcriptions'
  readonly fields: object
  /** Lines of fields that are code, two spaces deep. */
  readonly fieldCode?: readonly string[]
  /** Uses `result`. */
  readonly after: string
}

/** A program of the official OpenAI client, for a service with `--openai-api true`. */
export function openaiSnippet({ file, before, call, fields, fieldCode = [], after }: OpenaiCode): Snippet {
  const lines = [fieldLines(fields), ...fieldCode].filter((line) => line !== '')
  return {
    kind: 'openai',
    title: 'OpenAI',
    file,
    install: 'npm install openai',
    run: `node ${shellWord(file)}`,
    code: `${before}
import OpenAI from 'openai'

// The service needs the setting --openai-api true.
const client = new OpenAI({
  apiKey: process.env.SVC_AUDIO_API_KEY,
  baseURL: \`\${process.env.SVC_AUDIO_BASE_URL}/openai/v1\`,
})
const result = await client.audio.${call}.create({
${lines.join('\n')}
})
${after}
`,
  }
}
