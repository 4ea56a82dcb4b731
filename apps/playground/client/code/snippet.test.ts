import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { roundTripSnippets } from '../panels/round-trip/snippets.ts'
import { highlight } from './code-tab.tsx'
import { n8nText, n8nWorkflow } from './n8n-workflow.ts'
import { callJson, expressSnippet, NEST_STORE, nestSnippet, runNest } from './servers.ts'
import {
  block,
  Code,
  coreSnippet,
  curlCommand,
  curlJson,
  curlSnippet,
  escapeHtml,
  inline,
  langchainSnippet,
  literal,
  PATH_ARGUMENT,
  pathField,
  shellWord,
  viteSnippet,
} from './snippet.ts'

test.each(["it's", "''", '', ' ', '$HOME', '`id`', '-n', 'a\nb', String.raw`\n`, '!x', '语音', 'talk-1.wav'])(
  'the shell reads %j as one word',
  (text) => {
    const output = execFileSync('sh', ['-c', `printf '<%s>' ${shellWord(text)}`], { encoding: 'utf8' })
    expect(output).toBe(`<${text}>`)
  },
)

test('a Nest app is compiled with decorators, and its JavaScript is run', () => {
  const command = runNest('main.mts')
  expect(command).toMatch(/^npx tsc .*--experimentalDecorators --emitDecoratorMetadata main\.mts && node main\.mjs$/)
})

test('the code of a round trip uses the text for speech and says what was heard', () => {
  const [snippet] = roundTripSnippets({ text: "it's `${x}`", voice: 'slt', model: 'svc-transcribe-1.0' })
  expect(snippet?.code).toContain("const input = 'it\\'s `${x}`'")
  expect(snippet?.code).toContain("voice_id: 'slt'")
  expect(snippet?.code).toContain("model: 'svc-transcribe-1.0', file")
  expect(snippet?.code).toContain('`Said:  ${input}\\nHeard: ${text}`')
})

test.each(['plain', '{{ $json }}', ' = 1', '', "it's"])('n8n takes %j as it stands', (text) => {
  expect(n8nText(text)).toBe(text)
})

test.each(['=', '= 1 + 1', '={{ $env }}', '=}} "quotes" \\ {{', '=two\nlines `${x}` \u2028'])(
  'n8n would evaluate %j, so it is the value of an expression without inner braces',
  (text) => {
    const inner = /^=\{\{ (.*) \}\}$/s.exec(n8nText(text))?.[1] ?? ''
    expect(inner).not.toMatch(/[{}]/)
    expect(runInNewContext(inner)).toBe(text)
  },
)

describe('a workflow', () => {
  const node = (name: string): Parameters<typeof n8nWorkflow>[1][number] => ({
    name,
    type: 't',
    version: 2,
    parameters: { name },
  })

  test('a workflow stands in a row with ids of its own', () => {
    const { nodes, name } = JSON.parse(n8nWorkflow('Row', [node('A'), node('B')])) as {
      name: string
      nodes: { id: string; position: number[]; typeVersion: number }[]
    }
    expect(name).toBe('Row')
    expect(nodes.map(({ id }) => id)).toEqual(['node-0', 'node-1', 'node-2'])
    expect(nodes.map(({ position }) => position)).toEqual([
      [0, 0],
      [220, 0],
      [440, 0],
    ])
    expect(nodes.map(({ typeVersion }) => typeVersion)).toEqual([1, 2, 2])
  })

  test('a workflow has its other rows below, without the trigger', () => {
    const { nodes, connections } = JSON.parse(n8nWorkflow('Rows', [node('A')], [node('B'), node('C')])) as {
      nodes: { name: string; position: number[] }[]
      connections: Record<string, { main: { node: string }[][] }>
    }
    expect(nodes.slice(2).map(({ name, position }) => [name, position])).toEqual([
      ['B', [0, 220]],
      ['C', [220, 220]],
    ])
    expect(Object.entries(connections).map(([name, { main }]) => [name, main[0]?.[0]?.node])).toEqual([
      ['Start', 'A'],
      ['B', 'C'],
    ])
  })

  test('a workflow without nodes is a trigger alone', () => {
    const { nodes, connections } = JSON.parse(n8nWorkflow('Empty', [])) as { nodes: object[]; connections: object }
    expect([nodes.length, connections]).toEqual([1, {}])
  })
})

describe('highlighting', () => {
  const kinds = (code: string): string[] =>
    highlight(code)
      .filter(({ kind }) => kind !== 'plain')
      .map(({ kind, text }) => `${kind} ${text}`)

  test.each([
    ['an address in a text is no comment', "fetch('http://a')", ["string 'http://a'"]],
    ['a quote in a comment begins no text', "// it's\nlet a", ["comment // it's", 'keyword let']],
    [
      'an escaped quote ends no text',
      String.raw`'it\'s' + "\""`,
      [String.raw`string 'it\'s'`, String.raw`string "\""`],
    ],
    ['a template goes over lines', '`a\n${b}`', ['string `a\n${b}`']],
    ['a quote without its end is plain', "don't await", ['keyword await']],
    ['a keyword is a whole word', 'newest constant asynchronous type_ $let', ['keyword let']],
    ['a key of an object may be a keyword', 'a.new', ['keyword new']],
    ['nothing', '', []],
  ])('%s', (_case, code, expected) => {
    expect(kinds(code)).toEqual(expected)
  })

  test('never loses or repeats a character', () => {
    const code = String.raw`'a\' "b` + '`c ${d} // e\nimport "f'
    const tokens = highlight(code)
    expect(tokens.map(({ text }) => text).join('')).toBe(code)
    expect(tokens.every(({ text }) => text !== '')).toBe(true)
  })
})

describe('a literal', () => {
  test.each([
    ["it's"],
    ['a "quote"'],
    ['two\nlines\ttab'],
    [String.raw`back\slash and \" both`],
    ['${not} a `template`'],
    ['语音, émoji 🎧 and \u2028'],
  ])('a literal of %j has its value again', (text) => {
    expect(runInNewContext(literal(text))).toBe(text)
  })
  test('a literal has single quotes', () => {
    expect(literal('He said "no"')).toBe(`'He said "no"'`)
  })
})

test('fields without a value are left out', () => {
  expect(block({ model: 'svc-tts-1.5-flash', speed: 1.5, voice_id: undefined })).toBe(
    "{\n  model: 'svc-tts-1.5-flash',\n  speed: 1.5,\n}",
  )
})

test('an object is a line, and a list of objects has a line for each', () => {
  const speakers = [
    { id: 'A', voice_id: "o'neil" },
    { id: 'B', voice_id: undefined },
  ]
  expect(inline({ text: 'a', list: ['b', 1], none: undefined })).toBe("{ text: 'a', list: ['b', 1] }")
  expect(block({ speakers, terms: ['x'] }, 2)).toBe(
    [
      '{',
      '    speakers: [',
      String.raw`      { id: 'A', voice_id: 'o\'neil' },`,
      "      { id: 'B' },",
      '    ],',
      "    terms: ['x'],",
      '  }',
    ].join('\n'),
  )
})

test('the body of curl is between the marks of a quoted heredoc', () => {
  const body = { input: 'It\'s "JSON"\nJSON\n$HOME `id`' }
  const command = curlJson('/v1/audio/speech', body, ['--output speech.mp3'])
  const sent = /<<'JSON'\n(.*)\nJSON\n$/s.exec(command)?.[1] ?? ''
  expect(JSON.parse(sent)).toEqual(body)
  // The end mark stands alone on its line once only.
  expect(command.split('\n').filter((line) => line === 'JSON')).toHaveLength(1)
})

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
      routes: "app.use(speak(forwardAudio), 'transcribeUpload', createWebhookReceiver(randomUUID()), a.playResult)",
      call: '',
    })
    expect(code).toBe(`import { randomUUID } from 'node:crypto'
import { AudioClient } from '@svc-audio/core'
import { createWebhookReceiver } from '@svc-audio/core/webhooks'
import { audioErrors, forwardAudio, speak } from '@svc-audio/express-middleware'
import express from 'express'

const client = new AudioClient()
const app = express()
app.use(speak(forwardAudio), 'transcribeUpload', createWebhookReceiver(randomUUID()), a.playResult)
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
    expect(code).toContain('const Store = ForwardUploadInterceptor({')
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
