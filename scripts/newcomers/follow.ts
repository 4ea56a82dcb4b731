import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort, run, untilListening } from '@svc-audio/hosts'
import { installLine, type Installables } from '../install/install-line.ts'
import type { StartStep } from './start-page.ts'

/** A line that serves until it is stopped: other lines call it. */
const SERVER = /^(?:node (?:app|serve|main)\.(?:ts|js)|npx (?:@svc-audio\/service|vite|vitepress dev))$/

/** Ports that pages name. Each becomes a free one. */
const PORT = /\b(?:3000|8787)\b/g

/** An address that a server prints. */
const ADDRESS = /https?:\/\/(?:localhost|127\.0\.0\.1):(?<port>\d+)/

/** What a newcomer has besides the page. */
export interface NewcomerOptions {
  /** Variables of the service, and of others. */
  readonly env: Readonly<Record<string, string>>
  readonly packages: Installables
  /** Whether the page starts a server that other lines call. A page without one runs a program to its end. */
  readonly serves: boolean
  /** What a newcomer does with the server after the last line. @returns bytes of audio */
  readonly visit?: ((url: string) => Promise<number>) | undefined
}

/** What a newcomer saw. */
export interface NewcomerResult {
  readonly commands: number
  readonly seconds: number
  /** Everything that the commands printed. */
  readonly printed: string
  /** Bytes of the audio that the page promises, 0 without it. */
  readonly audioBytes: number
}

/** A server of a page. */
interface PageServer {
  readonly child: ChildProcess
  readonly url: string
  /** What it printed so far. */
  readonly printed: () => string
}

/** Does what a start page says, in an empty folder. @throws Error with the output of a command that fails */
export async function follow(steps: readonly StartStep[], options: NewcomerOptions): Promise<NewcomerResult> {
  const { env, packages, serves, visit } = options
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-newcomer-'))
  const port = await freePort()
  const start = performance.now()
  const printed: string[] = []
  let commands = 0
  let server: PageServer | undefined
  try {
    for (const step of steps) {
      if (step.kind === 'file') {
        await mkdir(dirname(join(folder, step.path)), { recursive: true })
        await writeFile(join(folder, step.path), filledIn(step.content, port, env))
        continue
      }
      commands += 1
      if (serves && SERVER.test(step.line)) {
        server = await serve(step.line, { folder, port, env })
        continue
      }
      const line = withTarballs(filledIn(step.line, port, env), packages)
      const { exitCode, stdout, stderr } = await run('sh', ['-c', inTerminal(line)], { cwd: folder, env })
      printed.push(stdout, stderr)
      if (exitCode !== 0) throw new Error(`${step.line}: ${stdout}${stderr}`)
    }
    const visited = server === undefined ? 0 : ((await visit?.(server.url)) ?? 0)
    const seconds = (performance.now() - start) / 1000
    printed.push(server?.printed() ?? '')
    return { commands, seconds, printed: printed.join('\n'), audioBytes: Math.max(visited, await audioIn(folder)) }
  } finally {
    if (server !== undefined) await stop(server.child)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts a server of the page, and waits until it takes connections. */
async function serve(
  line: string,
  { folder, port, env }: { readonly folder: string; readonly port: number } & Pick<NewcomerOptions, 'env'>,
): Promise<PageServer> {
  const [program = '', ...args] = line.split(' ')
  const ofService = line.endsWith('@svc-audio/service')
  const variables = ofService ? { SVC_AUDIO_PORT: String(port) } : env
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Stopped with its children: `npx` starts one.
    detached: true,
  })
  let text = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const read = (chunk: string): void => {
    text += chunk
    const found = ADDRESS.exec(text)?.groups?.['port']
    if (found !== undefined) resolve(`http://localhost:${found}`)
  }
  child.stdout.setEncoding('utf8').on('data', read)
  child.stderr.setEncoding('utf8').on('data', read)
  child.on('exit', () => reject(new Error(`${line} ended: ${text}`)))
  // Servers of frameworks print nothing.
  const listening = program === 'node' ? untilListening(port).then(() => `http://localhost:${port}`) : promise
  try {
    return { child, url: await Promise.race([promise, listening]), printed: () => text }
  } catch (error) {
    await stop(child)
    throw error
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await ended
}

/** A line in the terminal of the lines before it: variables that they export stay. */
function inTerminal(line: string): string {
  return `[ ! -f .terminal ] || . ./.terminal\n${line} || exit\nexport -p > .terminal`
}

/** A file or a line with the port, the address and the keys of this run. */
function filledIn(content: string, port: number, env: NewcomerOptions['env']): string {
  return content
    .replaceAll('http://127.0.0.1:8787', env['SVC_AUDIO_BASE_URL'] ?? '')
    .replaceAll('svca_…', env['SVC_AUDIO_API_KEY'] ?? '')
    .replaceAll('sk-…', env['OPENAI_API_KEY'] ?? '')
    .replaceAll(PORT, String(port))
}

/** An `npm install` line, with each of our names replaced by its tarball and those that it needs. */
function withTarballs(line: string, packages: Installables): string {
  const names = /^npm install (?<names>.+)$/.exec(line)?.groups?.['names']?.split(' ') ?? []
  const first = names.find((name) => packages.has(name))
  return first === undefined ? line : installLine(first, `${line}\n`, packages)
}

/** Size of the largest recording in the folder or in `audio`. */
async function audioIn(folder: string): Promise<number> {
  const folders = [folder, join(folder, 'audio')]
  const files = await Promise.all(
    folders.map(async (one) => (await readdir(one).catch(() => [])).map((name) => join(one, name))),
  )
  const recordings = files.flat().filter((path) => /\.(?:mp3|wav)$/.test(path))
  const sizes = await Promise.all(recordings.map(async (path) => (await stat(path)).size))
  return Math.max(0, ...sizes)
}
