import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort, run, shellEnvironment, untilListening } from '../hosts/index.ts'
import type { StartStep } from './start-page.ts'

/** A line that serves until it is stopped: other lines call it. */
const SERVER =
  /^(?:node (?:app|serve|main)\.m[jt]s|deno run .+|bun app\.mts|npm run dev|npx (?:@svc-audio\/service|vite|vitepress dev|astro dev|wrangler dev .+))$/

/** A server that listens on the port of its page. Others choose a port, and print it. */
const NAMES_PORT = /^(?:node|deno|bun) |--port/

/** Ports that pages name. Each becomes a free one. */
const PORT = /\b(?:3000|8787)\b/g

/** An address that a server prints. */
const ADDRESS = /https?:\/\/(?:localhost|127\.0\.0\.1):(?<port>\d+)/

/** What a newcomer has besides the page. */
export interface NewcomerOptions {
  /** Variables of the service, of the registry with our packages, and of others. */
  readonly env: Readonly<Record<string, string>>
  /** Settings of the folder that make up for the registry on this machine: path to content. @default none */
  readonly files?: Readonly<Record<string, string>>
  /** Folders of programs that the page takes for given, searched first. @default none */
  readonly programs?: readonly string[]
  /** Whether the page starts a server that other lines call. A page without one runs a program to its end. */
  readonly serves: boolean
  /** What a newcomer does with the server after the last line. @returns bytes of audio */
  readonly visit?: ((url: string) => Promise<number>) | undefined
}

/** What a newcomer saw. */
export interface NewcomerResult {
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
  const { files = {}, programs = [], serves, visit } = options
  const PATH = [...programs, process.env['PATH']].join(':')
  const env = { ...options.env, PATH }
  const home = await mkdtemp(join(tmpdir(), 'svc-audio-newcomer-'))
  const terminal = join(home, '.terminal')
  let folder = await emptyFolder(home)
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
  const port = await freePort()
  const printed: string[] = []
  let server: PageServer | undefined
  try {
    for (const step of steps) {
      if (step.kind === 'file') {
        await mkdir(dirname(join(folder, step.path)), { recursive: true })
        await writeFile(join(folder, step.path), filledIn(step.content, port, env))
        continue
      }
      const line = filledIn(step.line, port, env)
      if (serves && SERVER.test(step.line)) {
        server = await serve(line, { folder, port, env })
        continue
      }
      const { exitCode, stdout, stderr } = await run('sh', ['-c', inTerminal(line, terminal, programs)], {
        cwd: folder,
        env,
      })
      printed.push(stdout, stderr)
      if (exitCode !== 0) throw new Error(`${step.line}: ${stdout}${stderr}${server?.printed() ?? ''}`)
      folder = (await readFile(`${terminal}.folder`, 'utf8')).trim()
    }
    const visited = server === undefined ? 0 : ((await visit?.(server.url)) ?? 0)
    printed.push(server?.printed() ?? '')
    return { printed: printed.join('\n'), audioBytes: Math.max(visited, await audioIn(folder)) }
  } finally {
    if (server !== undefined) await stop(server.child)
    // A child of the stopped program may write its last file.
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** A folder whose name is a name for a package too: `npm init` takes it. */
async function emptyFolder(home: string): Promise<string> {
  const folder = join(home, 'first-steps')
  await mkdir(folder)
  return folder
}

/** Starts a server of the page, and waits until it takes connections. */
async function serve(
  line: string,
  { folder, port, env }: { readonly folder: string; readonly port: number } & Pick<NewcomerOptions, 'env'>,
): Promise<PageServer> {
  // The service takes its port from a variable, and Next.js too.
  const ports = { SVC_AUDIO_PORT: String(port), PORT: String(port) }
  const child = spawn('sh', ['-c', `exec ${line}`], {
    cwd: folder,
    env: { ...shellEnvironment(), NO_COLOR: '1', ...env, ...ports },
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
  const listening = async (): Promise<string> => {
    await untilListening(port)
    return `http://localhost:${port}`
  }
  try {
    // Servers of frameworks print nothing, and others print addresses that are not theirs. One that ends rejects.
    const ready = NAMES_PORT.test(line) ? Promise.race([listening(), promise.then(() => listening())]) : promise
    return { child, url: await ready, printed: () => text }
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

/**
 * A line in the terminal of the lines before it: variables that they export stay, and the folder.
 * @param programs Folders that are searched first.
 */
function inTerminal(line: string, terminal: string, programs: readonly string[]): string {
  const path = programs.map((folder) => `export PATH='${folder}':"$PATH"\n`).join('')
  return `${path}[ ! -f '${terminal}' ] || . '${terminal}'\n${line} || exit\nexport -p > '${terminal}'\npwd > '${terminal}.folder'`
}

/** A file or a line with the port, the address and the keys of this run. */
function filledIn(content: string, port: number, env: NewcomerOptions['env']): string {
  return content
    .replaceAll('http://127.0.0.1:8787', env['SVC_AUDIO_BASE_URL'] ?? '')
    .replaceAll('svca_…', env['SVC_AUDIO_API_KEY'] ?? '')
    .replaceAll('sk-…', env['OPENAI_API_KEY'] ?? '')
    .replaceAll(PORT, String(port))
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
