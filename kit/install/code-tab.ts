import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, output, shellEnvironment, untilListening } from '../hosts/index.ts'
import type { Surroundings } from './new-project.ts'

/** The parts of a program of the page that a newcomer follows. */
interface Snippet {
  readonly title: string
  readonly file: string
  readonly code: string
  readonly install?: string
  readonly run?: string
  readonly call?: string
}

/** The page's list. Its types are of another project of TypeScript. */
interface PrintedPrograms {
  readonly PRINTED_FILE: string
  readonly printedPrograms: () => ReadonlyMap<string, readonly Snippet[]>
}

const { PRINTED_FILE, printedPrograms }: PrintedPrograms = await import(
  join(import.meta.dirname, '../../apps/playground/client/panels/printed.ts')
)

/** Programs of the Code tab of the playground that one line installs. */
export interface PrintedProject {
  /** The kind of the programs, and what the line installs besides the packages of that kind. */
  readonly name: string
  /** The line. */
  readonly line: string
  /** Installs by the line in an empty folder, and runs each program there and behind `npm init -y`. @throws Error at a dead end */
  readonly follow: (surroundings: Surroundings) => Promise<void>
}

/** What the Code tab prints, by the line that installs it. @param views Names of views. @default all */
export function printedProjects(views?: readonly string[]): readonly PrintedProject[] {
  const shown = Array.from(printedPrograms()).filter(([view]) => views?.includes(view) ?? true)
  const programs = shown.flatMap(([view, snippets]) => snippets.map((snippet) => ({ view, snippet })))
  const lines = Map.groupBy(programs, ({ snippet }) => snippet.install)
  return Array.from(lines).flatMap(([line, ones]) => {
    if (line === undefined) return []
    // The packages of a task's queue and of a conversation are others than those of the same framework elsewhere.
    const name = `Code tab: ${ones[0]?.snippet.title ?? ''}${/ bullmq| @svc-audio\/voice/.exec(line)?.[0] ?? ''}`
    return [{ name, line, follow: (surroundings) => followLine(line, ones, surroundings) }]
  })
}

async function followLine(
  line: string,
  programs: readonly { readonly view: string; readonly snippet: Snippet }[],
  { env, recording }: Surroundings,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-code-tab-'))
  const shell = (command: string): Promise<string> =>
    output('sh', ['-ec', command], { cwd: folder, env: { ...env, npm_config_loglevel: 'error' } })
  try {
    await shell(line)
    await copyFile(recording, join(folder, PRINTED_FILE))
    for (const project of ['an empty folder', 'npm init -y']) {
      // npm 11 makes the project one of CommonJS.
      if (project === 'npm init -y') await shell('npm init -y')
      for (const { view, snippet } of programs) {
        try {
          await writeFile(join(folder, snippet.file), snippet.code)
          if (snippet.code.includes('.listen(')) await callServer(snippet, { folder, env, shell })
          else await shell((snippet.run ?? '').replace(' && npx vite preview', ''))
        } catch (error) {
          throw new Error(`${view} in ${project}: ${snippet.run ?? ''}`, { cause: error })
        }
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface ServerFolder {
  readonly folder: string
  readonly env: Surroundings['env']
  readonly shell: (command: string) => Promise<string>
}

/** Runs a server by its own command until its own call is answered. */
async function callServer({ run = '', call }: Snippet, { folder, env, shell }: ServerFolder): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  // The shell becomes the server, so that a signal reaches it.
  const command = run.replace('&& node', '&& exec node').replace(/^node/, 'exec node')
  const server = spawn('sh', ['-ec', command], {
    cwd: folder,
    env: { ...shellEnvironment(), ...env, PORT: String(port), PUBLIC_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(server, 'exit')
  let printed = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (data) => (printed += String(data)))
  try {
    await Promise.race([untilListening(port), ended.then(() => Promise.reject(new Error('the server ended')))])
    const asked = call?.replaceAll('localhost:3000', `127.0.0.1:${port}`) ?? `curl ${url}`
    await shell(`curl() { command curl --silent --show-error --fail-with-body "$@"; }\n${asked}`)
  } catch (error) {
    throw new Error(`The server printed:\n${printed}`, { cause: error })
  } finally {
    server.kill()
    await ended
  }
}
