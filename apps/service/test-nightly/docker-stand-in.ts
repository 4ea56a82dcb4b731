// What `docker` does with a container of the service, for a machine without an engine: the program of the image runs with the
// variables of the image, and its volume is a folder. An option that it does not know is an error.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const HOME = process.env['STAND_IN_HOME'] ?? ''
const CONTAINERFILE = join(import.meta.dirname, '../Containerfile')
const STATE = join(HOME, 'container.json')
const LOG = join(HOME, 'container.log')

/** A container that runs. */
interface Container {
  readonly pid: number
  readonly env: Readonly<Record<string, string>>
}

/** The variables and the program of the image, with the paths of this machine. */
function readImage(): { readonly env: Readonly<Record<string, string>>; readonly entrypoint: readonly string[] } {
  const last =
    readFileSync(CONTAINERFILE, 'utf8')
      .split(/^FROM /m)
      .at(-1) ?? ''
  const variables = /^ENV (.+)$/m.exec(last)?.[1]?.split(' ') ?? []
  const env = Object.fromEntries(variables.map((one) => one.split(/=(.*)/, 2)))
  const entrypoint: unknown = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(last)?.[1] ?? '[]')
  if (!Array.isArray(entrypoint)) throw new TypeError('The ENTRYPOINT is no list')
  const at = (path: string): string => path.replace(/^\/app\//, `${join(HOME, 'app')}/`)
  return {
    env: { ...env, PATH: `${join(HOME, 'app/node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
    entrypoint: entrypoint.map((one) => at(String(one))),
  }
}

const read = (): Container => JSON.parse(readFileSync(STATE, 'utf8'))

const COMMANDS: Readonly<Record<string, (args: string[]) => number>> = {
  run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        detach: { type: 'boolean' },
        name: { type: 'string' },
        restart: { type: 'string' },
        publish: { type: 'string', default: '' },
        volume: { type: 'string', default: '' },
        env: { type: 'string', multiple: true, default: [] },
        'read-only': { type: 'boolean' },
        tmpfs: { type: 'string' },
        'cap-drop': { type: 'string' },
        'security-opt': { type: 'string' },
        memory: { type: 'string' },
      },
    })
    const image = readImage()
    const [, host = '', inside = ''] = /^127\.0\.0\.1:(\d+):(\d+)$/.exec(values.publish) ?? []
    const [volume = '', place = ''] = values.volume.split(':')
    if (positionals.join() !== 'svc-audio/service') throw new Error(`there is no image ${positionals.join()}`)
    if (values.name !== 'svc-audio' || values.detach !== true)
      throw new Error('it has no name, or stays in the terminal')
    if (inside !== image.env['SVC_AUDIO_PORT']) throw new Error(`the image does not listen on ${inside}`)
    if (place !== image.env['SVC_AUDIO_DATA_DIR']) throw new Error(`the image has no data at ${place}`)
    const dataDir = join(HOME, 'volumes', volume)
    mkdirSync(dataDir, { recursive: true })
    const own = Object.fromEntries(values.env.map((one) => one.split(/=(.*)/, 2)))
    const env = { ...image.env, ...own, SVC_AUDIO_PORT: host, SVC_AUDIO_DATA_DIR: dataDir }
    const [program = '', ...rest] = image.entrypoint
    const log = openSync(LOG, 'a')
    const child = spawn(program, rest, { detached: true, stdio: ['ignore', log, log], env })
    closeSync(log)
    child.unref()
    writeFileSync(STATE, JSON.stringify({ pid: child.pid ?? 0, env } satisfies Container), { flag: 'wx' })
    return 0
  },
  exec([name, program = '', ...args]) {
    if (name !== 'svc-audio') throw new Error(`there is no container ${name}`)
    return spawnSync(program, args.map(outside), { stdio: 'inherit', env: read().env }).status ?? 1
  },
  cp([from = '', to = '']) {
    cpSync(outside(from.replace(/^svc-audio:/, '')), to, { recursive: true })
    return 0
  },
  logs: () => {
    process.stdout.write(readFileSync(LOG))
    return 0
  },
  stop() {
    const { pid } = read()
    process.kill(pid, 'SIGTERM')
    for (let tries = 0; tries < 600 && isAlive(pid); tries += 1) spawnSync('sleep', ['0.1'])
    return isAlive(pid) ? 1 : 0
  },
  rm(args) {
    if (args.includes('--force')) COMMANDS['stop']?.([])
    rmSync(STATE)
    return 0
  },
  pull: () => 0,
}

/** A path of the container on this machine. */
function outside(path: string): string {
  return path.replace(/^\/tmp\//, `${join(HOME, 'tmp')}/`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const [name = '', ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (command === undefined) throw new Error(`docker ${name} is no command of this stand-in`)
mkdirSync(join(HOME, 'tmp'), { recursive: true })
process.exitCode = command(args)
