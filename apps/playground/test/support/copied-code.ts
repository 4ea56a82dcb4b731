import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { type N8nWorkflow, runWorkflow, svcAudio } from '@svc-audio/kit/n8n-engine'
import { type RunningService, startService } from '@svc-audio/service'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Snippet, SnippetKind } from '../../client/code/snippet.ts'

const run = promisify(execFile)
const KEY = 'key-of-the-snippets'

/** A sentence that the recognizer understands, for recordings. */
export const SPOKEN = 'There is fresh bread on the table in the kitchen.'

/** Text of a user with the marks of every language that the code is written in. */
export const TYPED = `=It's "fresh" \`bread\`: $HOME $(id) \${x} & <b>butter</b>\non the kitchen table.`

/** A project of a user, who copies code into files and runs it against a service. */
export interface CopiedCode {
  readonly client: AudioClient
  /** A recording of {@link SPOKEN}, as WAV. */
  readonly recording: Buffer
  /** Writes the code into its file. */
  write(snippet: Snippet): Promise<void>
  /** Writes a file beside the code. */
  add(name: string, content: Buffer): Promise<void>
  /** Writes the code, and runs its own command. @returns what it printed */
  start(snippet: Snippet): Promise<string>
  /** Writes the code, and runs its server until its own call is answered. */
  callServer(snippet: Snippet, after?: (server: TestServer) => Promise<void>): Promise<Buffer>
  /** Runs the nodes of this project in n8n's engine. `before` replaces the nodes of others. */
  runN8n(snippet: Snippet, before?: N8nWorkflow['nodes']): ReturnType<typeof runWorkflow>
  /** Reads the first file of a pattern. */
  read(pattern: string): Promise<Buffer>
}

/** A running server of copied code. */
export interface TestServer {
  readonly url: string
  /** Answer of the call. */
  readonly answer: Buffer
  /** What the server has printed. */
  readonly output: () => string
}

/** Finds the code of a package. */
export function pick(snippets: readonly Snippet[], kind: SnippetKind): Snippet {
  const found = snippets.find((snippet) => snippet.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} code`)
  return found
}

/** A text of an item of n8n. @throws Error unless it is one */
export function textOf(item: { readonly json: object } | undefined, field: string): string {
  const text: unknown = item === undefined ? undefined : Reflect.get(item.json, field)
  if (typeof text !== 'string') throw new Error(`The item has no ${field}`)
  return text
}

/** A service for the tests of a file, and a new project for each test. @param environment More of the environment. */
export function copyCode(environment: () => Readonly<Record<string, string>> = () => ({})): CopiedCode {
  let service: RunningService
  let client: AudioClient
  let recording: Buffer
  let root: string
  let folder: string

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-audio-snippets-'))
    // The installed packages of a user's project.
    await symlink(fileURLToPath(new URL('node_modules', PLAYGROUND)), join(root, 'node_modules'))
    const dataDir = join(root, 'service')
    const apiKeys = new Map([[KEY, 'snippets']])
    service = await startService({ dataDir, port: 0, openaiApi: true, apiKeys, webhookAllow: ['http://127.0.0.1'] })
    client = new AudioClient({ apiKey: KEY, baseUrl: service.url })
    const speech = { model: 'svc-tts-1.5-flash', input: SPOKEN, voice_id: 'rms', response_format: 'wav' } as const
    recording = Buffer.from(await (await client.speech.create(speech)).bytes())
  })
  afterAll(async () => {
    await client?.close()
    await service?.close()
    await rm(root, { recursive: true, force: true })
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'run-'))
    // As npm writes it: the programs are ES modules by their names.
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }')
    await writeFile(join(folder, 'recording.wav'), recording)
  })

  const variables = (): NodeJS.ProcessEnv => {
    const bin = [dirname(process.execPath), fileURLToPath(new URL('../../node_modules/.bin', PLAYGROUND))]
    const own = { SVC_AUDIO_BASE_URL: service.url, SVC_AUDIO_API_KEY: KEY, NODE_ENV: 'production', ...environment() }
    return { ...process.env, PATH: [...bin, process.env['PATH']].join(':'), ...own }
  }
  const write = ({ file, code }: Snippet): Promise<void> => writeFile(join(folder, file), code)

  return {
    get client() {
      return client
    },
    get recording() {
      return recording
    },
    write,
    add: (name, content) => writeFile(join(folder, name), content),
    async start(snippet) {
      await write(snippet)
      const [command = ''] = (snippet.run ?? '').split(' && npx vite preview')
      const { stdout } = await run('sh', ['-ec', command], { cwd: folder, env: variables(), timeout: 100_000 })
      return stdout
    },
    async callServer(snippet, after) {
      await write(snippet)
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const program = {
        command: snippet.run ?? '',
        cwd: folder,
        env: { PUBLIC_URL: url, ...variables(), PORT: String(port) },
      }
      return serve(program, url, async (output) => {
        const command = (snippet.call ?? '').replaceAll('localhost:3000', `127.0.0.1:${port}`)
        const quiet = `curl() { command curl --silent --fail-with-body "$@"; }\n${command}`
        const { stdout } = await run('sh', ['-ec', quiet], { cwd: folder, encoding: 'buffer' })
        await after?.({ url, answer: stdout, output })
        return stdout
      })
    },
    async runN8n({ code }, before = []) {
      const { nodes, connections } = JSON.parse(code) as N8nWorkflow
      const ours = nodes.filter(({ type }) => type === 'n8n-nodes-svc-audio.svcAudio')
      const withCredentials = ours.map(({ name, parameters }) => svcAudio(name, parameters))
      const workflow = { nodes: [...before, ...withCredentials], connections }
      const credentials = { apiKey: KEY, baseUrl: service.url }
      return runWorkflow(workflow, {}, { credentials, folder, signal: AbortSignal.timeout(60_000) })
    },
    read(pattern) {
      const [found] = globSync(pattern, { cwd: folder })
      return readFile(join(folder, found ?? pattern))
    },
  }
}

const PLAYGROUND = new URL('../../', import.meta.url)

interface Program {
  readonly command: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs a server until the work is done. */
async function serve<T>(
  { command, ...options }: Program,
  url: string,
  work: (output: () => string) => Promise<T>,
): Promise<T> {
  // The shell becomes the server, so a signal reaches it.
  const child = spawn('sh', ['-ec', command.replace('&& node', '&& exec node').replace(/^node/, 'exec node')], options)
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  try {
    while (!(await isReady(url))) {
      if (child.exitCode !== null) throw new Error(`The server has ended:\n${output}`)
      await setTimeout(50)
    }
    return await work(() => output)
  } catch (error) {
    throw new Error(`The server printed:\n${output}`, { cause: error })
  } finally {
    child.kill()
    await ended
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
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
