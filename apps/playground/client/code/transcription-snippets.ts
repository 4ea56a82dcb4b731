import { fieldLines, literal, shellWord } from './literal.ts'
import { n8nWorkflow } from './n8n-workflow.ts'
import { INSTALL_NEST, runNest, type Snippet } from './snippet.ts'

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
  return [core, curl, express, nestjs, langchain, n8n].map((make) => make(transcription))
}

function core({ model, live, keyterms, source }: TranscriptionCode): Snippet {
  const fields = `{
${fieldLines({ model, ...source })}${termsLine(keyterms)}
}`
  const code = live
    ? `const events = await audio.transcriptions.stream(${fields})
for await (const event of events) {
  if (event.type === 'transcript.segment.done') console.log(\`\${event.speaker}: \${event.text}\`)
}`
    : `const { text } = await audio.transcriptions.create(${fields})
console.log(text)`
  return {
    kind: 'core',
    title: 'TypeScript',
    file: 'transcribe.ts',
    install: 'npm install @svc-audio/core',
    run: 'node transcribe.ts',
    code: `import { AudioClient } from '@svc-audio/core'

const audio = new AudioClient()
${code}
await audio.close()
`,
  }
}

function curl({ model, live, keyterms, source }: TranscriptionCode): Snippet {
  const head = `curl --fail-with-body --no-buffer "$SVC_AUDIO_BASE_URL/v1/audio/transcriptions" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
`
  const fields: readonly (readonly [string, string])[] = [
    ['model', model],
    ...(live ? [['stream', 'true'] as const] : []),
    ...keyterms.map((term) => ['keyterms', term] as const),
  ]
  const json = { model, ...(live ? { stream: true } : {}), ...(keyterms.length === 0 ? {} : { keyterms }), ...source }
  const body =
    'file' in source
      ? [
          ...fields.map(([name, value]) => `  --form-string ${shellWord(`${name}=${value}`)}`),
          `  --form ${fileField(source.file)}`,
        ].join(' \\\n')
      : `  --header 'Content-Type: application/json' \\
  --data-binary @- <<'JSON'
${JSON.stringify(json, undefined, 2)}
JSON`
  return { kind: 'curl', title: 'curl', file: 'transcribe.sh', run: 'sh transcribe.sh', code: `${head}${body}\n` }
}

function express({ model, live, keyterms, source }: TranscriptionCode): Snippet {
  const options = `{
  client,
${fieldLines({ model, respond: live ? 'sse' : undefined })}${termsLine(keyterms)}
}`
  const answer = live ? '' : ', (request, response) => {\n  response.json(request.transcription)\n}'
  return {
    kind: 'express',
    title: 'Express',
    file: 'server.ts',
    install: 'npm install @svc-audio/express-middleware @svc-audio/core express',
    run: 'node server.ts',
    call: call(source),
    code: `import { AudioClient } from '@svc-audio/core'
import { audioErrors, transcribeUpload } from '@svc-audio/express-middleware'
import express from 'express'

const client = new AudioClient()
const app = express()
const transcribe = transcribeUpload(${options})
app.post('/transcribe', transcribe${answer})
app.use(audioErrors())
app.listen(Number(process.env.PORT ?? 3000))
`,
  }
}

function nestjs({ model, keyterms, source }: TranscriptionCode): Snippet {
  const terms = keyterms.length === 0 ? '' : `, keyterms: [${keyterms.map(literal).join(', ')}]`
  return {
    kind: 'nestjs',
    title: 'NestJS',
    file: 'main.ts',
    install: INSTALL_NEST,
    run: runNest('main.ts'),
    call: call(source),
    code: `import 'reflect-metadata'
import { Controller, Module, Post, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioModule, TranscribeInterceptor, Transcription } from '@svc-audio/nestjs'

@Controller()
class TranscriptionController {
  @Post('transcribe')
  @UseInterceptors(TranscribeInterceptor({ model: ${literal(model)}${terms} }))
  transcribe(@Transcription() transcription: Transcription) {
    return transcription
  }
}

@Module({ imports: [AudioModule.forRoot()], controllers: [TranscriptionController] })
class AppModule {}

const app = await NestFactory.create(AppModule)
await app.listen(Number(process.env['PORT'] ?? 3000))
`,
  }
}

function langchain({ model, source }: TranscriptionCode): Snippet {
  const audio = 'url' in source ? source.url : `./${nameOf(source)}`
  return {
    kind: 'langchain',
    title: 'LangChain',
    file: 'agent.ts',
    install: 'npm install @svc-audio/langchain-tools @svc-audio/core langchain @langchain/core zod',
    run: 'node agent.ts',
    code: `import { AudioClient } from '@svc-audio/core'
import { folderAudioStore, SpeechToolkit } from '@svc-audio/langchain-tools'

const client = new AudioClient()
const toolkit = new SpeechToolkit({
  client,
  voice_id: 'rms',
  transcriptionModel: ${literal(model)},
  store: folderAudioStore('./audio'),
  allowedRoot: process.cwd(),
})
// An agent gets them with createAgent({ model, tools: toolkit.tools })
console.log(await toolkit.transcribe.invoke({ audio: ${literal(audio)} }))
await client.close()
`,
  }
}

function n8n({ model, source }: TranscriptionCode): Snippet {
  const isUrl = 'url' in source
  const parameters = {
    resource: 'transcription',
    operation: 'create',
    ...(isUrl ? { source: 'url', url: source.url } : { source: 'binary', binaryPropertyName: 'data' }),
    model: { __rl: true, mode: 'id', value: model },
    responseFormat: 'json',
    options: {},
  }
  const read = {
    name: 'Read the file',
    type: 'n8n-nodes-base.readWriteFile',
    version: 1,
    parameters: { operation: 'read', fileSelector: nameOf(source), options: { dataPropertyName: 'data' } },
  }
  const transcribe = { name: 'Transcribe', type: 'n8n-nodes-svc-audio.svcAudio', version: 1, parameters }
  return {
    kind: 'n8n',
    title: 'n8n',
    file: 'transcribe.json',
    install: 'npm install n8n-nodes-svc-audio',
    run: 'Paste it into the canvas of n8n, then choose your credential.',
    code: n8nWorkflow('Transcribe', isUrl ? [transcribe] : [read, transcribe]),
  }
}

function termsLine(keyterms: readonly string[]): string {
  return keyterms.length === 0 ? '' : `\n  keyterms: [${keyterms.map(literal).join(', ')}],`
}

function nameOf(source: TranscriptionCode['source']): string {
  return 'file' in source ? source.file : 'speech.wav'
}

function call(source: TranscriptionCode['source']): string {
  return `curl --form ${fileField(nameOf(source))} localhost:3000/transcribe`
}

/** A file of a form. Without the quotes, curl would end the name at a comma or a semicolon. */
function fileField(name: string): string {
  return shellWord(`file=@"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
}
