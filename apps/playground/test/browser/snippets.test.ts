import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bytesOf, type N8nWorkflow, runWorkflow, svcAudio } from '@svc-audio/n8n-engine'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { roundTripSnippets } from '../../client/code/round-trip-snippets.ts'
import type { Snippet, SnippetKind } from '../../client/code/snippet.ts'
import { speechSnippets } from '../../client/code/speech-snippets.ts'
import { transcriptionSnippets } from '../../client/code/transcription-snippets.ts'
import { measure } from '../support/actions.ts'

const run = promisify(execFile)
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const TEXT = `It's "fresh" bread: $HOME & <b>butter</b> on the kitchen table.`
const SPOKEN = 'There is fresh bread on the table in the kitchen.'
const KEY = 'key-of-the-snippets'

let service: RunningService
let root: string
let folder: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-audio-snippets-'))
  // The installed packages of a user's project.
  await symlink(MODULES, join(root, 'node_modules'))
  const dataDir = join(root, 'service')
  service = await startService({ dataDir, port: 0, apiKeys: new Map([[KEY, 'snippets']]) })
  const bin = [dirname(process.execPath), fileURLToPath(new URL('../../../../node_modules/.bin', import.meta.url))]
  const path = [...bin, process.env['PATH']].join(':')
  env = { ...process.env, PATH: path, SVC_AUDIO_BASE_URL: service.url, SVC_AUDIO_API_KEY: KEY, NODE_ENV: 'production' }
  const speech = await fetch(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-tts-1.5-flash', input: SPOKEN, voice_id: 'rms', response_format: 'wav' }),
  })
  spoken = Buffer.from(await speech.arrayBuffer())
})
afterAll(async () => {
  await service?.close()
  await rm(root, { recursive: true, force: true })
})

let spoken: Buffer

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'run-'))
  // As in the project of a user: the examples are ES modules.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, "my speech's.wav"), spoken)
})

function pick(snippets: readonly Snippet[], kind: SnippetKind): Snippet {
  const found = snippets.find((snippet) => snippet.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} code`)
  return found
}

/** Writes the code into a file, as a user does after Copy. */
async function write({ file, code }: Snippet): Promise<void> {
  await writeFile(join(folder, file), code)
}

/** Writes the code and runs its own command. @returns what it printed */
async function start(snippet: Snippet): Promise<string> {
  await write(snippet)
  const [first = ''] = snippet.run.split(' && npx vite preview')
  const { stdout } = await run('sh', ['-ec', first], { cwd: folder, env, timeout: 100_000 })
  return stdout
}

/** Runs a server until its own call is answered. @returns the output of the call */
async function callServer(snippet: Snippet): Promise<Buffer> {
  await write(snippet)
  const port = await freePort()
  const child = spawn('sh', ['-ec', snippet.run.replace('&& node', '&& exec node').replace(/^node/, 'exec node')], {
    cwd: folder,
    env: { ...env, PORT: String(port) },
  })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`The server has ended:\n${output}`)
      await setTimeout(50)
    }
    const command = `${snippet.call?.replace('localhost:3000', `127.0.0.1:${port}`)} --silent --fail-with-body`
    const { stdout } = await run('sh', ['-ec', command], { cwd: folder, encoding: 'buffer' })
    return stdout
  } finally {
    child.kill()
    await ended
  }
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function read(pattern: string): Promise<Buffer> {
  const [found] = globSync(pattern, { cwd: folder })
  return readFile(join(folder, found ?? pattern))
}

/** Runs the nodes of this project in n8n's engine. `before` replaces the nodes of others. */
async function runN8n({ code }: Snippet, before: N8nWorkflow['nodes'] = []): ReturnType<typeof runWorkflow> {
  const { nodes, connections } = JSON.parse(code) as N8nWorkflow
  const ours = nodes.filter(({ type }) => type === 'n8n-nodes-svc-audio.svcAudio')
  const withCredentials = ours.map(({ name, parameters }) => svcAudio(name, parameters))
  const workflow = { nodes: [...before, ...withCredentials], connections }
  const options = { credentials: { apiKey: KEY, baseUrl: service.url }, folder, signal: AbortSignal.timeout(60_000) }
  return runWorkflow(workflow, {}, options)
}

describe('speech', () => {
  const base = { text: TEXT, voice: 'rms', model: 'svc-tts-1.5-flash', speed: 1.5, format: 'wav' }
  const file = speechSnippets({ ...base, stream: false })
  const stream = speechSnippets({ ...base, stream: true })

  test('core: a file, and a stream', async () => {
    await start(pick(file, 'core'))
    const slow = measure(await read('speech.wav'))
    expect(slow.peak).toBeGreaterThan(0.1)
    await start(pick(stream, 'core'))
    expect(measure(await read('speech.wav')).seconds).toBeLessThan(slow.seconds * 0.8)
  })

  test('curl: a file, and a stream', async () => {
    await start(pick(file, 'curl'))
    expect(measure(await read('speech.wav')).seconds).toBeGreaterThan(2)
    await start(pick(stream, 'curl'))
    expect((await read('speech.pcm')).length).toBeGreaterThan(30_000)
  })

  test('Express: a file, and a stream', async () => {
    await callServer(pick(file, 'express'))
    expect(measure(await read('speech.wav')).peak).toBeGreaterThan(0.1)
    await callServer(pick(stream, 'express'))
    expect((await read('speech.pcm')).length).toBeGreaterThan(30_000)
  })

  test('NestJS', async () => {
    await callServer(pick(file, 'nestjs'))
    expect(measure(await read('speech.wav')).peak).toBeGreaterThan(0.1)
  })

  test('LangChain', async () => {
    expect(await start(pick(file, 'langchain'))).toMatch(/Spoken: \d/)
    expect(measure(await read('audio/*.wav')).peak).toBeGreaterThan(0.1)
  })

  test('n8n', async () => {
    const made = await runN8n(pick(file, 'n8n'))
    expect(measure(bytesOf(made['Speak']?.binary?.['data'])).peak).toBeGreaterThan(0.1)
  })

  test('Vite', async () => {
    await start(pick(file, 'vite'))
    expect(measure(await read('dist/assets/*.wav')).peak).toBeGreaterThan(0.1)
    expect(String(await read('dist/index.html'))).toContain('&lt;b&gt;butter')
  })
})

describe('transcription', () => {
  const source = { file: "my speech's.wav" }
  const live = { model: 'svc-transcribe-diarize-pro', live: true, keyterms: ["baker's bread"], source }
  const plain = { model: 'svc-transcribe-1.0', live: false, keyterms: [], source }

  function textIn(output: Buffer | string): string {
    const events = [...String(output).matchAll(/"text":"([^"]*)"/g)]
    return events.at(-1)?.[1] ?? String(output)
  }

  test('core: whole, and live', async () => {
    expect(wordErrorRate(SPOKEN, await start(pick(transcriptionSnippets(plain), 'core')))).toBeLessThanOrEqual(0.2)
    const printed = await start(pick(transcriptionSnippets(live), 'core'))
    expect(wordErrorRate(SPOKEN, printed.replaceAll('S01:', ''))).toBeLessThanOrEqual(0.2)
  })

  test.each(['curl', 'express', 'nestjs'] as const)('%s', async (kind) => {
    for (const transcription of kind === 'nestjs' ? [plain] : [plain, live]) {
      const snippet = pick(transcriptionSnippets(transcription), kind)
      const output = kind === 'curl' ? await start(snippet) : await callServer(snippet)
      expect(wordErrorRate(SPOKEN, textIn(output))).toBeLessThanOrEqual(0.2)
    }
  })

  test('LangChain', async () => {
    const printed = await start(pick(transcriptionSnippets(plain), 'langchain'))
    expect(printed).toContain('fresh bread')
  })

  test('n8n', async () => {
    // The node that reads a file is n8n's own. A speech stands in for the file.
    const parameters = { resource: 'speech', text: SPOKEN, voice: { __rl: true, mode: 'id', value: 'rms' } }
    const reader = svcAudio('Read the file', { ...parameters, responseFormat: 'wav' })
    const made = await runN8n(pick(transcriptionSnippets(plain), 'n8n'), [reader])
    expect(wordErrorRate(SPOKEN, textIn(JSON.stringify(made['Transcribe']?.json)))).toBeLessThanOrEqual(0.2)
  })

  test('a stored file and an address are bodies in JSON', () => {
    const codes = [{ file_id: 'file_1' }, { url: 'https://a.example/b.mp3' }].flatMap((other) =>
      transcriptionSnippets({ ...plain, source: other }),
    )
    for (const snippet of codes.filter(({ kind }) => kind === 'curl')) {
      expect(JSON.parse(/<<'JSON'\n(.*)\nJSON/s.exec(snippet.code)?.[1] ?? '')).toMatchObject({ model: plain.model })
    }
    expect(codes.map(({ code }) => code).join('\n')).toContain("url: 'https://a.example/b.mp3'")
  })
})

test('a round trip prints what was said and heard', async () => {
  const [snippet] = roundTripSnippets({ text: SPOKEN, voice: 'rms', model: 'svc-transcribe-1.0' })
  if (snippet === undefined) throw new Error('There is no code')
  const heard = /Heard: (.*)/.exec(await start(snippet))?.[1] ?? ''
  expect(wordErrorRate(SPOKEN, heard)).toBeLessThanOrEqual(0.2)
})
