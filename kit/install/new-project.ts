import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, output, type PackedPackage, shellEnvironment, untilListening } from '../hosts/index.ts'
import { readInstallCommand } from '../hosts/install-line.ts'
import { blocksOf, type CodeBlock } from './start-page.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What a newcomer has besides the README: a running service with a key. */
export interface Surroundings {
  readonly packages: ReadonlyMap<string, PackedPackage>
  /** Variables of the registry and of the service: `SVC_AUDIO_API_KEY` and `SVC_AUDIO_BASE_URL`. */
  readonly env: Readonly<Record<string, string>>
  /** A recording: the path of a WAV file. */
  readonly recording: string
}

/** An empty folder in which a README is followed. */
export interface NewProject extends AsyncDisposable {
  readonly folder: string
  readonly surroundings: Surroundings
  /** The text of the README. */
  readonly readme: string
  /** The code of the block of this language at this place, counted from 0. @throws RangeError without one */
  readonly code: (language: string, at?: number) => string
  readonly write: (path: string, content: string) => Promise<void>
  /** Writes a block, as {@link code}, into the file that the README names above it. @returns the file's name */
  readonly put: (language: string, at?: number) => Promise<string>
  /** Whether the README prints a program for Node: it runs whether the project has ES modules or CommonJS. */
  readonly hasProgram: boolean
  /** Runs a line of a shell. @returns its output. @throws Error when it fails */
  readonly shell: (line: string, env?: Readonly<Record<string, string>>) => Promise<string>
  /**
   * Runs a server that the README prints with port 3000, on a free port.
   * @param file Its file. Every `3000` in it is replaced.
   */
  readonly serve: (file: string, work: (url: string) => Promise<void>) => Promise<void>
}

/** Makes an empty folder and installs there as the README prints. */
export async function newProject(name: string, surroundings: Surroundings): Promise<NewProject> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-quick-start-'))
  const { packages, env } = surroundings
  const readme = await readFile(join(ROOT, packages.get(name)?.source ?? '', 'README.md'), 'utf8')
  const blocks = blocksOf(readme)
  const shell = (line: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
    output('sh', ['-c', line], { cwd: folder, env: { ...env, ...more, npm_config_loglevel: 'error' } })
  const write = (path: string, content: string): Promise<void> => writeFile(join(folder, path), content)
  const names = readInstallCommand(readme) ?? [name]
  await shell(`npm install ${names.join(' ')}`)
  const find = (language: string, at: number): CodeBlock => {
    const block = blocks.filter((one) => one.language === language)[at]
    if (block === undefined) throw new RangeError(`The README of ${name} has no block ${at} of ${language}`)
    return block
  }
  return {
    folder,
    surroundings,
    readme,
    code: (language, at = 0) => find(language, at).code,
    write,
    hasProgram: blocks.some(({ path }) => path?.endsWith('.mts')),
    async put(language, at = 0) {
      const { code, path } = find(language, at)
      if (path === undefined) throw new RangeError(`The README of ${name} names no file above its block of ${language}`)
      await write(path, code)
      return path
    },
    shell,
    async serve(file, work) {
      const port = await freePort()
      const code = await readFile(join(folder, file), 'utf8')
      await write(file, code.replaceAll('3000', String(port)))
      const server = spawn(process.execPath, [file], {
        cwd: folder,
        env: { ...shellEnvironment(), ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const ended = once(server, 'exit')
      try {
        await Promise.race([untilListening(port), ended.then(() => Promise.reject(new Error(`${file} ended`)))])
        await work(`http://127.0.0.1:${port}`)
      } finally {
        server.kill()
        await ended
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
