import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'

/** What an example gets to work with. */
export interface ExampleContext {
  /** Address of a running service. */
  readonly baseUrl: string
  readonly apiKey: string
  /** A folder of its own, gone afterwards. */
  readonly folder: string
}

/** What came out of an example. */
export interface ExampleOutcome {
  /** One line for people. */
  readonly summary: string
  /** Length of the audio that was made, in seconds. */
  readonly audioSeconds?: number
  readonly transcript?: string
  /** Of the transcript against what was spoken; 0 is perfect. */
  readonly wordErrorRate?: number
}

/** An example as a module: it is run by itself, one after the other. */
interface Example {
  run(context: ExampleContext): Promise<ExampleOutcome>
}

/** The order a newcomer would read them in; others follow by name. */
const ORDER = ['readme', 'core', 'long-text', 'express', 'nestjs', 'langchain', 'n8n-nodes', 'vite']

/** The examples: `<name>.ts` or `<name>/example.ts` in this folder, by name. */
const EXAMPLES = findExamples()

/** The most of a transcript that may be wrong: the voice is clear and the sentences are plain. */
const WORST_WORD_ERROR_RATE = 0.15

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !EXAMPLES.has(name))
if (unknown.length > 0) {
  console.error(`examples: there is no ${unknown.join(', ')}. There are: ${[...EXAMPLES.keys()].join(', ')}`)
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
    // examples receive callbacks on this machine
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
