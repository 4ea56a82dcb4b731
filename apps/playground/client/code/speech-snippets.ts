import { curlJson, fieldLines, literal, shellWord } from './literal.ts'
import { n8nWorkflow } from './n8n-workflow.ts'
import { INSTALL_NEST, runNest, type Snippet } from './snippet.ts'

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
  return [core, curl, express, nestjs, langchain, n8n, vite].map((make) => make(speech))
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

function express({ text, voice, model, stream, format, speed }: SpeechCode): Snippet {
  const fields = stream
    ? { model, voice_id: voice, speed: speed === 1 ? undefined : speed, respond: 'pcm' }
    : { model, voice_id: voice, response_format: format }
  return {
    kind: 'express',
    title: 'Express',
    file: 'server.ts',
    install: 'npm install @svc-audio/express-middleware @svc-audio/core express',
    run: 'node server.ts',
    call: call(text, stream ? 'pcm' : format),
    code: `import { AudioClient } from '@svc-audio/core'
import { audioErrors, speak } from '@svc-audio/express-middleware'
import express from 'express'

const options = {
  client: new AudioClient(),
${fieldLines(fields)}
} as const
const app = express()
app.post('/speak', express.json(), speak(options))
app.use(audioErrors())
app.listen(Number(process.env.PORT ?? 3000))
`,
  }
}

function nestjs({ text, voice, model, format }: SpeechCode): Snippet {
  return {
    kind: 'nestjs',
    title: 'NestJS',
    file: 'main.ts',
    install: INSTALL_NEST,
    run: runNest('main.ts'),
    call: call(text, format),
    code: `import 'reflect-metadata'
import { Body, Controller, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { AudioClient } from '@svc-audio/core'
import { AudioModule, InjectAudioClient, speechFile } from '@svc-audio/nestjs'

const voice = {
${fieldLines({ model, voice_id: voice, response_format: format })}
} as const

@Controller()
class SpeechController {
  constructor(@InjectAudioClient() private readonly audio: AudioClient) {}

  @Post('speak')
  speak(@Body('text') input: string) {
    return speechFile(this.audio.speech.create({ ...voice, input }))
  }
}

@Module({ imports: [AudioModule.forRoot()], controllers: [SpeechController] })
class AppModule {}

const app = await NestFactory.create(AppModule)
await app.listen(Number(process.env['PORT'] ?? 3000))
`,
  }
}

function langchain({ text, voice, model }: SpeechCode): Snippet {
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
${fieldLines({ model, voice_id: voice })}
  store: folderAudioStore('./audio'),
})
// An agent gets them with createAgent({ model, tools: toolkit.tools })
console.log(await toolkit.speak.invoke({ text: ${literal(text)} }))
await client.close()
`,
  }
}

function n8n({ text, voice, model, format }: SpeechCode): Snippet {
  const parameters = {
    resource: 'speech',
    operation: 'create',
    text,
    voice: { __rl: true, mode: 'id', value: voice },
    model: { __rl: true, mode: 'id', value: model },
    responseFormat: format,
    output: 'file',
    binaryPropertyName: 'data',
    options: {},
  }
  return {
    kind: 'n8n',
    title: 'n8n',
    file: 'speak.json',
    install: 'npm install n8n-nodes-svc-audio',
    run: 'Paste it into the canvas of n8n, then choose your credential.',
    code: n8nWorkflow('Speak', [{ name: 'Speak', type: 'n8n-nodes-svc-audio.svcAudio', version: 1, parameters }]),
  }
}

function vite({ text, voice, model, format }: SpeechCode): Snippet {
  // No line of the text stands at the start of a line: it could end the heredoc.
  const paragraphs = text
    .split(/\n{2,}/)
    .map((paragraph) => `    <p>${escapeHtml(paragraph).replaceAll('\n', '\n      ')}</p>`)
    .join('\n')
  return {
    kind: 'vite',
    title: 'Vite',
    file: 'narrate.sh',
    install: 'npm install --save-dev vite @svc-audio/vite-plugin',
    run: 'sh narrate.sh && npx vite preview',
    code: `cat > vite.config.mjs <<'CONFIG'
import { narration } from '@svc-audio/vite-plugin'

export default {
  plugins: [
    narration({
${fieldLines({ model, voice_id: voice, response_format: format }).replaceAll(/^/gm, '    ')}
    }),
  ],
}
CONFIG
cat > index.html <<'PAGE'
<!doctype html>
<html lang="en">
  <title>Narrated</title>
  <article data-narrate>
${paragraphs}
  </article>
</html>
PAGE
npx vite build
`,
  }
}

function call(text: string, format: string): string {
  return `curl --json ${shellWord(JSON.stringify({ text }))} --output speech.${format} localhost:3000/speak`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
