import { coreSnippet, langchainSnippet } from './client-code.ts'
import { curlCommand, curlJson, curlSnippet } from './curl.ts'
import { fieldLines, inline, literal, shellWord } from './literal.ts'
import { byId, n8nSnippet, n8nText, svcAudioNode } from './n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from './servers.ts'
import type { Snippet } from './snippet.ts'

/** A round trip on the screen. */
export interface RoundTripCode {
  readonly text: string
  readonly voice: string
  /** Of the transcription. */
  readonly model: string
}

const SPEECH_MODEL = 'svc-tts-1.5-flash'

/** Code that makes the round trip on the screen. */
export function roundTripSnippets(trip: RoundTripCode): readonly Snippet[] {
  return [core, curl, express, nestjs, langchain, n8n].map((make) => make(trip))
}

function core({ text, voice, model }: RoundTripCode): Snippet {
  return coreSnippet({
    file: 'round-trip.ts',
    code: `const input = ${literal(text)}
const speech = await audio.speech.create({
  model: '${SPEECH_MODEL}',
  input,
  voice_id: ${literal(voice)},
  response_format: 'wav',
})
const file = { data: await speech.bytes(), name: 'speech.wav' }
const { text } = await audio.transcriptions.create({ model: ${literal(model)}, file })
console.log(\`Said:  \${input}\\nHeard: \${text}\`)`,
  })
}

function curl({ text, voice, model }: RoundTripCode): Snippet {
  const body = { model: SPEECH_MODEL, input: text, voice_id: voice, response_format: 'wav' }
  const form = [`--form-string ${shellWord(`model=${model}`)}`, '--form file=@speech.wav']
  return curlSnippet(
    'round-trip.sh',
    `set -e
${curlJson('/v1/audio/speech', body, ['--output speech.wav'])}
${curlCommand('/v1/audio/transcriptions', form)}
`,
  )
}

function express({ text, voice, model }: RoundTripCode): Snippet {
  return expressSnippet({
    adapter: ['speak', 'transcribeUpload'],
    routes: `const speaking = speak({
  client,
${fieldLines({ voice_id: voice, response_format: 'wav' })}
})
const transcribing = transcribeUpload({ client, model: ${literal(model)} })
app.post('/speak', express.json(), speaking)
app.post('/transcribe', transcribing, (request, response) => {
  response.json(request.transcription)
})`,
    call: callBoth(text),
  })
}

function nestjs({ text, voice, model }: RoundTripCode): Snippet {
  return nestSnippet({
    adapter: ['speechFile', 'TranscribeInterceptor', 'Transcription'],
    common: ['Body', 'Post', 'UseInterceptors'],
    before: `const voice = ${inline({ model: SPEECH_MODEL, voice_id: voice, response_format: 'wav' })}\n\n`,
    routes: `  @Post('speak')
  speak(@Body('text') input: string) {
    return speechFile(() => this.audio.speech.create({ ...voice, input }))
  }

  @Post('transcribe')
  @UseInterceptors(TranscribeInterceptor(${inline({ model })}))
  transcribe(@Transcription() transcription: Transcription) {
    return transcription
  }`,
    call: callBoth(text),
  })
}

/** Speaks with the server, then sends it its own speech. */
function callBoth(text: string): string {
  return `${callJson('speak', { text }, 'speech.wav')} && curl --form file=@speech.wav localhost:3000/transcribe`
}

function langchain({ text, voice, model }: RoundTripCode): Snippet {
  return langchainSnippet({
    options: { voice_id: voice, transcriptionModel: model },
    code: `const input = ${literal(text)}
const { id } = await toolkit.speakText(input)
console.log(\`Said:  \${input}\\nHeard: \${await toolkit.transcribeAudio(id)}\`)`,
  })
}

function n8n({ text, voice, model }: RoundTripCode): Snippet {
  const speech = { resource: 'speech', text: n8nText(text), voice: byId(voice), responseFormat: 'wav' }
  return n8nSnippet('Round trip', [
    svcAudioNode('Speak', speech),
    svcAudioNode('Listen', { resource: 'transcription', source: 'binary', model: byId(model) }),
  ])
}
