import { curlJson, fieldLines } from './literal.ts'
import type { Snippet } from './snippet.ts'

/** A speech on the screen. */
export interface SpeechCode {
  readonly text: string
  readonly voice: string
  readonly model: string
  /** Whether it is streamed. */
  readonly stream: boolean
  /** Format of a file. */
  readonly format: string
  /** Of a stream. */
  readonly speed: number
}

/** Code that makes the speech on the screen. */
export function speechSnippets(speech: SpeechCode): readonly Snippet[] {
  return [core(speech), curl(speech)]
}

function core({ text, voice, model, stream, format, speed }: SpeechCode): Snippet {
  const fields = stream
    ? { model, input: text, voice_id: voice, speed: speed === 1 ? undefined : speed }
    : { model, input: text, voice_id: voice, response_format: format }
  const file = stream ? 'speech.wav' : `speech.${format}`
  return {
    kind: 'core',
    title: 'TypeScript',
    file: 'speak.ts',
    install: 'npm install @svc-audio/core',
    run: 'node speak.ts',
    code: `import { AudioClient } from '@svc-audio/core'

const audio = new AudioClient()
const speech = await audio.speech.${stream ? 'stream' : 'create'}({
${fieldLines(fields)}
})
await speech.saveTo('${file}')
await audio.close()
`,
  }
}

function curl({ text, voice, model, stream, format, speed }: SpeechCode): Snippet {
  const body = stream
    ? { model, input: text, voice_id: voice, speed, stream: true, response_format: 'pcm' }
    : { model, input: text, voice_id: voice, response_format: format }
  const output = stream ? 'speech.pcm' : `speech.${format}`
  return {
    kind: 'curl',
    title: 'curl',
    file: 'speak.sh',
    run: 'sh speak.sh',
    code: curlJson('/v1/audio/speech', body, output),
  }
}
