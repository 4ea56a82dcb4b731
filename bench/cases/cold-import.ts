import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import {
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  KB,
  medians,
  rounds,
} from '../harness/bench-case.ts'
import { ScriptedService } from '../scripted/service.ts'

/** Longest import and longest first request, in times of undici's. */
const MOST_IMPORT = 1
/** Longest import, in times of openai's. */
const MOST_IMPORT_BESIDE_OPENAI = 0.5
const MOST_REQUEST = 1.25

/** Largest size of `./pure` in kilobytes. */
const MOST_KB = 16

/** Minimal programs, each run in a fresh process. They read the service's address from `ORIGIN`. */
const PROGRAMS = {
  nothing: '',
  'ours, import': `import { AudioClient } from '@svc-audio/core'`,
  'undici, import': `import { request } from 'undici'`,
  'openai, import': `import OpenAI from 'openai'`,
  'ours, request': `
    import { AudioClient } from '@svc-audio/core'
    const client = new AudioClient({ apiKey: 'bench', baseUrl: process.env.ORIGIN })
    const { data } = await client.models.list()
    if (data.length === 0) process.exitCode = 1`,
  'undici, request': `
    import { request } from 'undici'
    const headers = { accept: 'application/json', authorization: 'Bearer bench' }
    const { body } = await request(process.env.ORIGIN + '/v1/models', { headers })
    const { data } = await body.json()
    if (data.length === 0) process.exitCode = 1`,
  'openai, request': `
    import OpenAI from 'openai'
    const client = new OpenAI({ apiKey: 'bench', baseURL: process.env.ORIGIN + '/v1', maxRetries: 0 })
    const { data } = await client.models.list()
    if (data.length === 0) process.exitCode = 1`,
} as const satisfies Readonly<Record<string, string>>

type ProgramName = keyof typeof PROGRAMS

/** The client's cost in a short-lived program. */
export const benchCase: BenchCase = {
  name: 'cold-import',
  description: 'a fresh process that imports the client, and one that sends a request: time; size of ./pure',
  async run(context) {
    const service = await ScriptedService.start()
    try {
      // The object names the same programs.
      const names = Object.keys(PROGRAMS) as ProgramName[]
      const runs = await rounds(context, names, 15, (name) => runProgram(context, name, service.origin))
      const size = (await pureSize()) / KB
      const pure = { name: 'size of ./pure, minified and gzipped', unit: 'KB', ours: size, limit: null, peers: {} }
      return [
        ...timeRows(medians(runs, (milliseconds) => milliseconds)),
        { ...pure, ratio: null, ...atMost('ours', size, MOST_KB, ' KB') },
      ]
    } finally {
      service.stop()
    }
  },
}

function timeRows(time: Record<ProgramName, number>): BenchRow[] {
  const { nothing, 'ours, import': ours, 'undici, import': undici, 'openai, import': openai } = time
  const imports = { unit: 'ms', ours, limit: nothing }
  return [
    {
      name: 'cold process that imports',
      ...imports,
      peers: { undici, openai },
      ratio: ours / undici,
      ...atMost('ours/undici', ours / undici, MOST_IMPORT),
    },
    {
      name: 'cold process that imports, beside openai',
      ...imports,
      peers: { openai },
      ratio: ours / openai,
      ...atMost('ours/openai', ours / openai, MOST_IMPORT_BESIDE_OPENAI),
    },
    besideLimit(
      {
        name: 'cold process that imports and sends one request',
        unit: 'ms',
        ours: time['ours, request'],
        limit: time['undici, request'],
        peers: { openai: time['openai, request'] },
      },
      MOST_REQUEST,
    ),
  ]
}

/** A program that exports all of `./pure`. */
const ENTRY = 'everything'

/** Bytes of all `@svc-audio/core/pure`, bundled, minified and gzipped. */
async function pureSize(): Promise<number> {
  const bundle = await rolldown({
    input: ENTRY,
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? `export * from ${JSON.stringify(purePath())}` : undefined),
      },
    ],
  })
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    const code = output.map((part) => (part.type === 'chunk' ? part.code : '')).join('')
    return gzipSync(code, { level: 9 }).byteLength
  } finally {
    await bundle.close()
  }
}

function purePath(): string {
  return fileURLToPath(import.meta.resolve('@svc-audio/core/pure'))
}

/** Folder of the packages. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program in a fresh process, without a cache of compiled code.
 * @returns milliseconds from its start to its end
 * @throws Error when it fails
 */
async function runProgram(context: BenchContext, name: ProgramName, origin: string): Promise<number> {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const start = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAMS[name]], {
    cwd: FOLDER,
    env: { ...env, ORIGIN: origin },
    signal: context.signal,
    stdio: ['ignore', process.stderr, process.stderr],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The program "${name}" ended with ${code}`)
  return performance.now() - start
}
