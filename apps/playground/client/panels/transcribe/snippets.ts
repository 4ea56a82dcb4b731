import {
  aiSdkSnippet,
  block,
  Code,
  coreSnippet,
  curlCommand,
  curlJson,
  curlSnippet,
  fileField,
  inline,
  langchainSnippet,
  literal,
  openaiSnippet,
  shellWord,
  type Snippet,
} from '../../code/snippet.ts'
import { byId, n8nSnippet, n8nText, readFileNode, svcAudioNode } from '../../code/n8n-workflow.ts'
import { expressSnippet, nestSnippet } from '../../code/servers.ts'

/** A transcription on the screen. */
export interface TranscriptionCode {
  readonly model: string
  /** Whether the text is streamed. */
  readonly live: boolean
  readonly keyterms: readonly string[]
  readonly source: { readonly file: string } | { readonly url: string } | { readonly file_id: string }
}

/** Code that makes the transcription on the screen. */
export function transcriptionSnippets(transcription: TranscriptionCode): readonly Snippet[] {
  // The OpenAI API and the AI SDK take no stored file, and the OpenAI API no address.
  const { source, live } = transcription
  const doors = [...('file' in source ? [openai] : []), ...(live || 'file_id' in source ? [] : [aiSdk])]
  const whole = wholeOf(transcription)
  return [core, curl, ...doors, express, nestjs, langchain, n8n].map((make) => make(whole))
}

type Whole = ReturnType<typeof wholeOf>

/** A transcription, and what several programs have. */
function wholeOf(transcription: TranscriptionCode) {
  const { source, live, model } = transcription
  const keyterms = transcription.keyterms.length === 0 ? undefined : transcription.keyterms
  const name = 'file' in source ? source.file : 'speech.wav'
  const call = `curl --form ${fileField('file', name)} localhost:3000/transcribe`
  return { ...transcription, keyterms, name, call, options: { model, keyterms }, respond: live ? 'sse' : undefined }
}

function core({ source, live, options }: Whole): Snippet {
  const fields = block({ ...options, ...source })
  return coreSnippet({
    file: 'transcribe.mts',
    code: live
      ? `const events = await audio.transcriptions.stream(${fields})
for await (const event of events) {
  if (event.type === 'transcript.segment.done') console.log(\`\${event.speaker}: \${event.text}\`)
}`
      : `const { text } = await audio.transcriptions.create(${fields})
console.log(text)`,
  })
}

function curl({ model, live, keyterms = [], source, options }: Whole): Snippet {
  const path = '/v1/audio/transcriptions'
  if (!('file' in source)) {
    const body = { ...options, ...(live ? { stream: true } : {}), ...source }
    return curlSnippet('transcribe.sh', curlJson(path, body, ['--no-buffer']))
  }
  const fields = [`model=${model}`, ...(live ? ['stream=true'] : []), ...keyterms.map((term) => `keyterms=${term}`)]
  const form = fields.map((field) => `--form-string ${shellWord(field)}`)
  const parts = ['--no-buffer', ...form, `--form ${fileField('file', source.file)}`]
  return curlSnippet('transcribe.sh', `${curlCommand(path, parts)}\n`)
}

function openai({ model, live, keyterms, name }: Whole): Snippet {
  return openaiSnippet({
    file: 'transcribe-openai.mts',
    call: 'transcriptions',
    fields: {
      model,
      keywords: keyterms,
      ...(live ? { stream: true, response_format: 'diarized_json' } : {}),
      file: new Code(`createReadStream(${literal(name)})`),
    },
    after: live
      ? `for await (const event of result) {
  if (event.type === 'transcript.text.segment') console.log(\`\${event.speaker}: \${event.text}\`)
}`
      : 'console.log(result.text)',
  })
}

function aiSdk({ model, keyterms, source }: Whole): Snippet {
  const address = 'url' in source ? source.url : ''
  const audio = 'file' in source ? `await readFile(${literal(source.file)})` : `new URL(${literal(address)})`
  return aiSdkSnippet({
    file: 'transcribe-ai-sdk.mts',
    call: 'transcribe',
    fields: {
      model: new Code(`svcAudio.transcription(${literal(model)})`),
      audio: new Code(audio),
      providerOptions: keyterms && { svcAudio: { keyterms } },
    },
    after: 'console.log(result.text)',
  })
}

function express({ live, call, options, respond }: Whole): Snippet {
  const response = live ? '' : ', (request, response) => {\n  response.json(request.transcription)\n}'
  return expressSnippet({
    routes: `const transcribe = transcribeUpload(${block({ client: new Code('client'), ...options, respond })})
app.post('/transcribe', transcribe${response})`,
    call,
  })
}

function nestjs({ live, call, options, respond }: Whole): Snippet {
  return nestSnippet({
    routes: `  ${live ? "@Sse('transcribe', { method: RequestMethod.POST })" : "@Post('transcribe')"}
  @UseInterceptors(TranscribeUploadInterceptor(${inline({ ...options, respond })}))
${
  live
    ? `  transcribe(@TranscriptionStream() events: TranscriptionStream) {
    return from(events).pipe(map((data) => ({ data })))
  }`
    : `  transcribe(@Transcription() transcription: Transcription) {
    return transcription
  }`
}`,
    call,
  })
}

function langchain({ model, source, name }: Whole): Snippet {
  const audio = 'url' in source ? source.url : `./${name}`
  return langchainSnippet({
    options: { voice_id: 'rms', transcriptionModel: model, allowedRoot: new Code('process.cwd()') },
    code: `console.log(await toolkit.transcribe.invoke(${inline({ audio })}))`,
  })
}

function n8n({ model, keyterms, source }: Whole): Snippet {
  const parameters = {
    resource: 'transcription',
    operation: 'create',
    ...n8nSource(source),
    model: byId(model),
    responseFormat: 'json',
    options: { keyterms: keyterms?.map(n8nText) },
  }
  const transcribe = svcAudioNode('Transcribe', parameters)
  return n8nSnippet('Transcribe', 'file' in source ? [readFileNode(source.file), transcribe] : [transcribe])
}

function n8nSource(source: TranscriptionCode['source']): object {
  if ('url' in source) return { source: 'url', url: n8nText(source.url) }
  if ('file_id' in source) return { source: 'fileId', fileId: byId(source.file_id) }
  return { source: 'binary', binaryPropertyName: 'data' }
}
