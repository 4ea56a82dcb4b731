import { literal } from './literal.ts'
import type { Snippet } from './snippet.ts'

/** A round trip on the screen. */
export interface RoundTripCode {
  readonly text: string
  readonly voice: string
  /** Of the transcription. */
  readonly model: string
}

/** Code that makes the round trip on the screen. */
export function roundTripSnippets({ text, voice, model }: RoundTripCode): readonly Snippet[] {
  return [
    {
      kind: 'core',
      title: 'TypeScript',
      file: 'round-trip.ts',
      install: 'npm install @svc-audio/core',
      run: 'node round-trip.ts',
      code: `import { AudioClient } from '@svc-audio/core'

const audio = new AudioClient()
const input = ${literal(text)}
const speech = await audio.speech.create({
  model: 'svc-tts-1.5-flash',
  input,
  voice_id: ${literal(voice)},
  response_format: 'wav',
})
const file = { data: await speech.bytes(), name: 'speech.wav' }
const { text } = await audio.transcriptions.create({ model: ${literal(model)}, file })
console.log(\`Said:  \${input}\\nHeard: \${text}\`)
await audio.close()
`,
    },
  ]
}
