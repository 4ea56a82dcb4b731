import { curlAudio, nestAudio } from './audio-code.ts'
import { coreSnippet, curlCommand, curlSnippet, langchainSnippet } from './client-code.ts'
import { block, Code, inline, literal, shellWord, type Snippet } from './snippet.ts'
import { byId, n8nSnippet, n8nText, svcAudioNode } from './n8n-workflow.ts'
import { callJson, expressSnippet, nestSnippet } from './servers.ts'

/** A round trip on the screen. */
export interface RoundTripCode {
  readonly text: string
  readonly voice: string
  /** Of the transcription. */
  readonly model: string
}

/** Code that makes the round trip on the screen. */
export function roundTripSnippets({ text, voice, model }: RoundTripCode): readonly Snippet[] {
  const settings = { model: 'svc-tts-1.5-flash', voice_id: voice, response_format: 'wav' }
  const { model: speechModel, ...rest } = settings
  const body = { model: speechModel, input: text, ...rest }
  const form = [`--form-string ${shellWord(`model=${model}`)}`, '--form file=@speech.wav']
  // Speaks with the server, then sends it its own speech.
  const call = `${callJson('speak', { text }, 'speech.wav')} && curl --form file=@speech.wav localhost:3000/transcribe`
  const speak = nestAudio({ path: 'speak', resource: 'speech', settings: ['voice', settings], sent: { text: 'input' } })
  const report = 'console.log(`Said:  ${input}\\nHeard: ${text}`)'
  return [
    coreSnippet({
      file: 'round-trip.ts',
      code: `const input = ${literal(text)}
const speech = await audio.speech.create(${block({ model: speechModel, input: new Code('input'), ...rest })})
const file = { data: await speech.bytes(), name: 'speech.wav' }
const { text } = await audio.transcriptions.create({ model: ${literal(model)}, file })
${report}`,
    }),
    curlSnippet(
      'round-trip.sh',
      `set -e
${curlAudio({ resource: 'speech', body, output: 'speech.wav' })}
${curlCommand('/v1/audio/transcriptions', form)}
`,
    ),
    expressSnippet({
      routes: `const speaking = speak(${block({ client: new Code('client'), ...rest })})
const transcribing = transcribeUpload({ client, model: ${literal(model)} })
app.post('/speak', express.json(), speaking)
app.post('/transcribe', transcribing, (request, response) => {
  response.json(request.transcription)
})`,
      call,
    }),
    nestSnippet({
      before: speak.before,
      routes: `${speak.routes}

  @Post('transcribe')
  @UseInterceptors(TranscribeInterceptor(${inline({ model })}))
  transcribe(@Transcription() transcription: Transcription) {
    return transcription
  }`,
      call,
    }),
    langchainSnippet({
      options: { voice_id: voice, transcriptionModel: model },
      code: `const input = ${literal(text)}
const { id } = await toolkit.speakText(input)
const text = await toolkit.transcribeAudio(id)
${report}`,
    }),
    n8nSnippet('Round trip', [
      svcAudioNode('Speak', { resource: 'speech', text: n8nText(text), voice: byId(voice), responseFormat: 'wav' }),
      svcAudioNode('Listen', { resource: 'transcription', source: 'binary', model: byId(model) }),
    ]),
  ]
}
