import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  coreSnippet,
  curlCommand,
  curlJson,
  curlSnippet,
  escapeHtml,
  langchainSnippet,
  PATH_ARGUMENT,
  pathField,
  viteSnippet,
} from './client-code.ts'
import { callJson, expressSnippet, NEST_STORE, nestSnippet } from './servers.ts'
import { Code } from './snippet.ts'

describe('a program of the client', () => {
  test('a program of the client creates the client, works, and closes it', () => {
    const { code, run } = coreSnippet({ file: 'a.ts', before: PATH_ARGUMENT, code: 'use(path)', args: "'b c.wav'" })
    expect(code).toBe(`import { AudioClient } from '@svc-audio/core'

const [, , path = 'recording.wav'] = process.argv
const audio = new AudioClient()
use(path)
await audio.close()
`)
    expect(run).toBe("node a.ts 'b c.wav'")
    expect(coreSnippet({ file: 'a.ts', code: '' }).run).toBe('node a.ts')
  })

  test('gives the options of an agent line by line', () => {
    const options = { voice_id: "o'neil", tools: ['speak'], none: undefined, voices: new Code('voices') }
    const { code } = langchainSnippet({
      options,
      before: 'const voices = []\n',
      code: 'go()',
    })
    expect(code).toContain(`const client = new AudioClient()
const voices = []
const toolkit = new SpeechToolkit({
  client,
  voice_id: 'o\\'neil',
  tools: ['speak'],
  voices,
  store: folderAudioStore('./audio'),
})
`)
    expect(langchainSnippet({ options: {}, code: '' }).code).toContain('  client,\n  store: ')
  })

  test('has the store that it names', () => {
    const { code } = langchainSnippet({ options: {}, store: 'serviceAudioStore(client)', code: '' })
    expect(code).toContain('import { serviceAudioStore, SpeechToolkit }')
    expect(code).toContain('  store: serviceAudioStore(client),')
  })
})

describe('a script of curl', () => {
  test('a script of curl has an option on each line, and the key from the environment', () => {
    expect(curlCommand('/v1/files', ['--form purpose=audio'])).toBe(
      [
        'curl --fail-with-body "$SVC_AUDIO_BASE_URL/v1/files" \\',
        '  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\',
        '  --form purpose=audio',
      ].join('\n'),
    )
  })

  test('a script of curl sends JSON as its input, whatever the text', () => {
    const body = { input: "it's\n$HOME `id`\nJSON\n" }
    const script = `curl() { cat; }\n${curlJson('/v1/a', body, ['--silent'])}`
    expect(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' }))).toEqual(body)
  })

  test('a script of curl takes its file from the command line', () => {
    const script = `curl() { printf '%s' "$2"; }\ncurl ${pathField('sample')}`
    const run = (...args: string[]): string => execFileSync('sh', ['-c', script, 'sh', ...args], { encoding: 'utf8' })
    expect([run(), run('my, own.wav')]).toEqual(['sample=@"recording.wav"', 'sample=@"my, own.wav"'])
    expect(curlSnippet('a.sh', '', 'b.wav').run).toBe('sh a.sh b.wav')
  })
})

describe('an Express server', () => {
  test('imports what it uses, sorted, and answers errors last', () => {
    const { code } = expressSnippet({
      routes: "app.use(speak(respondAudio), 'transcribeUpload', createWebhookReceiver(randomUUID()), a.playResult)",
      call: '',
    })
    expect(code).toBe(`import { randomUUID } from 'node:crypto'
import { AudioClient } from '@svc-audio/core'
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import { respondAudio, audioErrors, speak } from '@svc-audio/express-middleware'
import express from 'express'

const client = new AudioClient()
const app = express()
app.use(speak(respondAudio), 'transcribeUpload', createWebhookReceiver(randomUUID()), a.playResult)
app.use(audioErrors())
app.listen(Number(process.env.PORT ?? 3000))
`)
  })

  test('is called with JSON, and the response is saved if it is audio', () => {
    expect(callJson('speak', { text: "it's" }, 'a.wav')).toBe(
      String.raw`curl --json '{"text":"it'\''s"}' --output a.wav localhost:3000/speak`,
    )
    expect(callJson('speak', {})).toBe("curl --json '{}' localhost:3000/speak")
  })
})

describe('a Nest app', () => {
  test('a Nest app without a call of its own has neither the client nor the filter', () => {
    const { code } = nestSnippet({ routes: "  @Post('a') @Transcription()", call: '' })
    expect(code).toBe(`import 'reflect-metadata'
import { Controller, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioModule, Transcription } from '@svc-audio/nestjs'

@Controller()
class AudioController {
  @Post('a') @Transcription()
}

@Module({
  imports: [AudioModule.forRoot()],
  controllers: [AudioController],
})
class AppModule {}

const app = await NestFactory.create(AppModule)
await app.listen(Number(process.env.PORT ?? 3000))
`)
  })

  test('that calls the client injects it, and answers its errors', () => {
    const { code } = nestSnippet({ routes: '  this.audio as Voice', call: '' })
    expect(code).toContain("import { AudioClient, type Voice } from '@svc-audio/core'")
    expect(code).toContain("import { AudioExceptionFilter, AudioModule } from '@svc-audio/nestjs'")
    expect(code).toContain('  constructor(private readonly audio: AudioClient) {}\n\n  this.audio as Voice')
    expect(code).toContain('app.useGlobalFilters(new AudioExceptionFilter())\nawait app.listen')
  })

  test('with other modules lets them find the client', () => {
    const { code, install } = nestSnippet({
      before: NEST_STORE,
      parameters: ['private readonly audio: AudioClient', 'private readonly hooks: Hooks'],
      modules: ['hooks'],
      providers: ['Finished'],
      packages: ['bullmq'],
      start: 'app.enableShutdownHooks()\n',
      routes: '',
      call: '',
    })
    expect(code).toContain('  imports: [AudioModule.forRoot({ isGlobal: true }), hooks],\n')
    expect(code).toContain('  providers: [Finished],\n})')
    expect(code).toContain(`  constructor(
    private readonly audio: AudioClient,
    private readonly hooks: Hooks,
  ) {}`)
    expect(code).toContain('const Store = UploadInterceptor({')
    expect(code).toContain('app.enableShutdownHooks()\nawait app.listen')
    expect(install).toMatch(/ bullmq$/)
  })
})

describe('a site of Vite', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-audio-site-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Runs the script with an npx that builds nothing. @returns the files that it wrote */
  function write(snippet: ReturnType<typeof viteSnippet>, ...names: string[]): string[] {
    execFileSync('sh', ['-ec', `npx() { :; }\n${snippet.code}`], { cwd: folder })
    return names.map((name) => readFileSync(join(folder, name), 'utf8'))
  }

  test.each(['END', 'END\nEND_', '$HOME `id` $(id)', "it's\n\n  two", 'a\\'])('has the file %j as it is', (text) => {
    const snippet = viteSnippet({ options: { voice_id: 'rms' }, body: '  <p>Hi</p>', files: { 'text.txt': text } })
    const [page, config, file] = write(snippet, 'index.html', 'vite.config.mjs', 'text.txt')
    expect(file).toBe(`${text}\n`)
    expect(page).toContain('<title>Narrated</title>\n  <p>Hi</p>\n</html>')
    expect(config).toContain("    narration({\n      voice_id: 'rms',\n    }),")
  })

  test('a site of Vite shows markup as text', () => {
    expect(escapeHtml('a < b && c > "d"')).toBe('a &lt; b &amp;&amp; c &gt; "d"')
  })
})
