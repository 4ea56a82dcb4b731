import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, run } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const SERVICE = join(import.meta.dirname, '..')
const ROOT = join(SERVICE, '../..')
/** Without Docker, this program takes its place. */
const STAND_IN = join(import.meta.dirname, 'docker-stand-in.ts')

const page = await readFile(join(SERVICE, 'docs/container.md'), 'utf8')
/** The lines for a shell, in the order of the page. */
const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)^```$/gm), ([, code = '']) => code.trim())

/** Whether an engine runs here: the image is built and run then. Otherwise its content runs as a program. */
const hasEngine = await promisify(execFile)('docker', ['info']).then(
  () => true,
  () => false,
)

// An engine has the image that was built here, which no registry has.
const lines = blocks.flatMap((code) => code.split('\n')).filter((line) => !hasEngine || !line.startsWith('docker pull'))

let folder: string
let env: Record<string, string>
let port: number

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-container-')))
  port = await freePort()
  env = { TERMINAL: join(folder, 'terminal') }
  if (hasEngine) {
    const build = ['build', '-f', 'apps/service/Containerfile', '-t', 'svc-audio/service', '.']
    await promisify(execFile)('docker', build, { cwd: ROOT })
    return
  }
  // As the Containerfile does.
  const deploy = ['--filter', '@svc-audio/container', 'deploy', '--prod', '--legacy', join(folder, 'app')]
  await promisify(execFile)('npx', ['-y', 'pnpm@12', ...deploy], { cwd: ROOT })
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin/docker'), `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' "$@"\n`)
  await chmod(join(folder, 'bin/docker'), 0o755)
  env = { ...env, STAND_IN_HOME: folder }
})

afterAll(async () => {
  if (folder === undefined) return
  await type('docker rm --force svc-audio').catch((error: unknown) => console.error(error))
  if (hasEngine) await type('docker volume rm svc-audio')
  await rm(folder, { recursive: true, force: true })
})

/** Runs a line in the terminal of the lines before it. @returns what it prints. @throws Error when it fails */
async function type(line: string): Promise<string> {
  // The service listens on the port of the image, and this machine may use that port.
  const own = line.replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`)
  const programs = hasEngine ? '' : `export PATH='${join(folder, 'bin')}':"$PATH"\n`
  const shell = `${programs}[ ! -f "$TERMINAL" ] || . "$TERMINAL"\n${own} || exit\nexport -p > "$TERMINAL"`
  const { exitCode, stdout, stderr } = await run('sh', ['-c', shell], { cwd: folder, env })
  if (exitCode !== 0) throw new Error(`${line}: ${stdout}${stderr}`)
  return stdout
}

test('the page of the container leads from its first line to sound, a backup, an upgrade and a service without rights', async () => {
  expect(lines.filter((line) => line.startsWith('docker run'))).toHaveLength(2)
  const printed = new Map<string, string>()
  for (const line of lines) printed.set(line, await type(line))
  const said = (part: string): string => [...printed].find(([line]) => line.includes(part))?.[1] ?? ''
  expect(said('/readyz')).toContain('ready')
  expect(said('/transcriptions')).toMatch(/good morning/i)
  expect((await stat(join(folder, 'hello.mp3'))).size).toBeGreaterThan(1000)
  expect(said('keys create')).toMatch(/svca_/)
  expect((await stat(join(folder, 'first/manifest.jsonl'))).size).toBeGreaterThan(100)
  // The last line has started it again, with the same volume and key.
  for (const line of lines.filter((one) => /readyz|audio\/speech/.test(one))) await type(line)
  expect(await type('docker exec svc-audio svc-audio-service keys list')).toContain('my-app')
})
