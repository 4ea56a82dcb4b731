import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort, run, untilListening } from '@svc-audio/hosts'
import { installLine, type Installables } from '../install/install-line.ts'
import type { StartStep } from './start-page.ts'

/** A line that serves until it is stopped: other lines call it. */
const SERVER = /^node (?:app|serve|main)\.(?:ts|js)$/

/** What a newcomer has besides the page. */
export interface NewcomerOptions {
  /** Variables of the service, and of others. */
  readonly env: Readonly<Record<string, string>>
  readonly packages: Installables
  /** Whether the page starts a server with `node …`. A page without one runs a program to its end. */
  readonly serves: boolean
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

/** Does what a start page says, in an empty folder. @throws Error with the output of a command that fails */
export async function follow(steps: readonly StartStep[], options: NewcomerOptions): Promise<NewcomerResult> {
  const { env, packages, serves } = options
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-newcomer-'))
  const port = String(await freePort())
  const start = performance.now()
  const printed: string[] = []
  let commands = 0
  let server: ChildProcess | undefined
  try {
    for (const step of steps) {
      if (step.kind === 'file') {
        await mkdir(dirname(join(folder, step.path)), { recursive: true })
        await writeFile(join(folder, step.path), step.content.replaceAll('3000', port))
        continue
      }
      commands += 1
      const line = withTarballs(step.line.replaceAll('3000', port), packages)
      if (serves && SERVER.test(step.line)) {
        const [program = '', ...args] = line.split(' ')
        server = spawn(program, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'inherit' })
        await untilListening(Number(port))
        continue
      }
      const { exitCode, stdout, stderr } = await run('sh', ['-c', line], { cwd: folder, env })
      printed.push(stdout, stderr)
      if (exitCode !== 0) throw new Error(`${step.line}: ${stdout}${stderr}`)
    }
    const seconds = (performance.now() - start) / 1000
    return { commands, seconds, printed: printed.join('\n'), audioBytes: await audioIn(folder) }
  } finally {
    if (server !== undefined && server.exitCode === null) {
      server.kill()
      await once(server, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
}

/** An `npm install` line, with each of our names replaced by its tarball and those that it needs. */
function withTarballs(line: string, packages: Installables): string {
  const names = /^npm install (?<names>.+)$/.exec(line)?.groups?.['names']?.split(' ') ?? []
  const first = names.find((name) => packages.has(name))
  return first === undefined ? line : installLine(first, `${line}\n`, packages)
}

async function audioIn(folder: string): Promise<number> {
  const found = await Promise.all(
    ['hello.mp3', 'hello.wav'].map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0),
  )
  return Math.max(...found)
}
