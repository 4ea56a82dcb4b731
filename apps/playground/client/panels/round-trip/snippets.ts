import { byId, n8nSnippet, n8nText, svcAudioNode } from '../../code/n8n-workflow.ts'
import { callJson, curlAudio, expressSnippet, nestAudio, nestSnippet } from '../../code/servers.ts'
import {
  block,
  Code,
  coreSnippet,
  curlCommand,
  curlSnippet,
  inline,
  langchainSnippet,
  literal,
  shellWord,
  type Snippet,
} from '../../code/snippet.ts'

/** What the panel asks for: all of it survives a reload. */
export interface RoundTripDraft {
  readonly text: string
  readonly voice: string
  readonly model: 'svc-transcribe-1.0' | 'svc-transcribe-diarize-pro'
}

/** The first draft. */
export const FIRST_DRAFT: RoundTripDraft = {
  text: 'The train to the coast leaves at seven forty-five in the morning. Please keep your ticket ready.',
  voice: '',
  model: 'svc-transcribe-1.0',
}

/** Code that makes the round trip on the screen. */
export function roundTripSnippets({ text, voice, model }: RoundTripDraft): readonly Snippet[] {
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
      file: 'round-trip.mts',
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
  @UseInterceptors(TranscribeUploadInterceptor(${inline({ model })}))
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
