import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'

/** Input of an example. */
export interface ExampleContext {
  /** Address of a running service. */
  readonly baseUrl: string
  readonly apiKey: string
  /** A temporary folder. */
  readonly folder: string
}

/** Result of an example. */
export interface ExampleOutcome {
  /** One line about the result. */
  readonly summary: string
  /** Duration of the audio, in seconds. */
  readonly audioSeconds?: number
  readonly transcript?: string
  /** Word error rate of the transcript. 0 is perfect. */
  readonly wordErrorRate?: number
}

/** The module of an example. Examples run one after another. */
interface Example {
  run(context: ExampleContext): Promise<ExampleOutcome>
}

/** Reading order for newcomers. Other examples follow by name. */
const ORDER = [
  'readme',
  'core',
  'long-text',
  'express',
  'nestjs',
  'serverless',
  'langchain',
  'voice-agent',
  'ai-sdk',
  'n8n-nodes',
  'vite',
]

/** The examples: `<name>.ts` or `<name>/example.ts` in this folder, by name. */
const EXAMPLES = findExamples()

/** Largest accepted word error rate. The voice is clear and the sentences are simple. */
const WORST_WORD_ERROR_RATE = 0.15

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !EXAMPLES.has(name))
if (unknown.length > 0) {
  console.error(`examples: unknown ${unknown.join(', ')}. Available: ${[...EXAMPLES.keys()].join(', ')}`)
  process.exitCode = 1
} else await runAll(chosen.length === 0 ? [...EXAMPLES.keys()] : chosen)

function findExamples(): ReadonlyMap<string, string> {
  const paths = globSync(['*.ts', '*/example.ts'], { cwd: import.meta.dirname, exclude: ['run.ts', 'node_modules'] })
  const named = paths.map((path) => [path.replace(/(?:\/example)?\.ts$/, ''), path] as const)
  return new Map(named.toSorted(([a], [b]) => place(a) - place(b) || a.localeCompare(b)))
}

function place(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length
}

async function runAll(names: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-examples-'))
  const apiKey = 'examples-key'
  const service = await startService({
    dataDir: join(folder, 'service'),
    port: 0,
    apiKeys: new Map([[apiKey, 'examples']]),
    // Examples receive callbacks on this machine.
    webhookAllow: ['http://127.0.0.1'],
  })
  let failed = 0
  try {
    for (const name of names) {
      const own = join(folder, name)
      await mkdir(own)
      if (!(await runOne(name, { baseUrl: service.url, apiKey, folder: own }))) failed += 1
    }
  } finally {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`${names.length - failed} of ${names.length} examples worked`)
  if (failed > 0) process.exitCode = 1
}

/** Runs one example and prints its line. @returns whether it worked */
async function runOne(name: string, context: ExampleContext): Promise<boolean> {
  try {
    const example: Example = await import(`./${EXAMPLES.get(name) ?? ''}`)
    const outcome = await example.run(context)
    const good = (outcome.wordErrorRate ?? 0) <= WORST_WORD_ERROR_RATE
    console.log(`${good ? '✓' : '✗'} ${name.padEnd(20)} ${describe(outcome)}`)
    return good
  } catch (error) {
    console.log(`✗ ${name.padEnd(20)} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return false
  }
}

function describe({ summary, audioSeconds, transcript, wordErrorRate }: ExampleOutcome): string {
  return [
    audioSeconds === undefined ? '' : `${audioSeconds.toFixed(1)} s of audio`,
    transcript === undefined ? '' : `heard “${transcript}”`,
    wordErrorRate === undefined ? '' : `word error rate ${(wordErrorRate * 100).toFixed(1)} %`,
    summary,
  ]
    .filter((part) => part !== '')
    .join(', ')
}
