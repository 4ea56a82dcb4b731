import { curlJson, fieldLines, literal } from '../../code/literal.ts'
import type { Snippet } from '../../code/snippet.ts'
import type { VoicesDraft } from './draft.ts'

/** Code that does what the open view does. */
export function voicesSnippets(draft: VoicesDraft): readonly Snippet[] {
  const argument = draft.view === 'record' ? ' recording.wav' : ''
  return [
    {
      kind: 'core',
      title: 'TypeScript',
      file: 'voices.ts',
      install: 'npm install @svc-audio/core',
      run: `node voices.ts${argument}`,
      code: `import { AudioClient } from '@svc-audio/core'

const audio = new AudioClient()
${CORE[draft.view](draft)}
await audio.close()
`,
    },
    { kind: 'curl', title: 'curl', file: 'voices.sh', run: `sh voices.sh${argument}`, code: CURL[draft.view](draft) },
  ]
}

const MODEL = 'svc-tts-1.5-flash'

type Code = Readonly<Record<VoicesDraft['view'], (draft: VoicesDraft) => string>>

const CORE: Code = {
  list: () => `for await (const { id, name } of audio.voices.list()) console.log(id, name)`,
  record: ({ name, about }) => `const [, , path = 'recording.wav'] = process.argv
const voice = await audio.voices.create({
  audio_sample: path,
${fieldLines({ name: name.trim() || 'My voice', description: about.trim() || undefined })}
})
console.log(voice.id)`,
  design: ({ instruction, designText: input, name }) => `const speech = await audio.voiceGenerations.create({
${fieldLines({ model: 'svc-voice-generator-1.0', input, instruction, response_format: 'wav' })}
})
await speech.saveTo('designed.wav')

// The audio makes a voice that can be used again.
const voice = await audio.voices.create({ audio_sample: 'designed.wav', name: ${literal(name.trim() || 'My voice')} })
console.log(voice.id)`,
  compare: ({ compareText: input, first, second }) => `for (const voice_id of [${literal(first)}, ${literal(second)}]) {
  const speech = await audio.speech.create({
  ${fieldLines({ model: MODEL, input }).replaceAll('\n', '\n  ')}
    voice_id,
    response_format: 'wav',
  })
  await speech.saveTo(\`voice-\${voice_id}.wav\`)
}`,
}

const CURL: Code = {
  list: () => `curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/audio/voices?limit=150" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY"
`,
  record: ({ name, about }) => `curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/audio/voices" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
  --form-string ${shellWord(`name=${name.trim() || 'My voice'}`)} \\
${about.trim() === '' ? '' : `  --form-string ${shellWord(`description=${about.trim()}`)} \\\n`}  --form "audio_sample=@\\"\${1:-recording.wav}\\""
`,
  design: ({ instruction, designText: input }) =>
    curlJson(
      '/v1/audio/voice/generations',
      { model: 'svc-voice-generator-1.0', input, instruction, response_format: 'wav' },
      'designed.wav',
    ),
  compare: ({ compareText: input, first, second }) =>
    [first, second]
      .map((voice_id, index) =>
        curlJson(
          '/v1/audio/speech',
          { model: MODEL, input, voice_id, response_format: 'wav' },
          `voice-${index + 1}.wav`,
        ),
      )
      .join('\n'),
}

/** A word of a shell command. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
