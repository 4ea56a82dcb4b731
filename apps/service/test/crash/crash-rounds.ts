import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../diarization/random.ts'
import { startReceiver } from '../support/receiver.ts'
import { checkRemains } from './check-remains.ts'
import { cutPower } from './cut-power.ts'
import { filesOf, loadUntilGone, withParts } from './load.ts'
import { CutOffError, type Program, startProgram } from './program.ts'
import { readSteps, type Step } from './steps.ts'
import { checkSyncs } from './sync-counts.ts'
import { checkFileList } from './writes/file-write.ts'
import { makeWrites, type RoundWrites } from './writes/make-writes.ts'
import type { Write } from './writes/write.ts'

/** Options of {@link runCrashRounds}. */
export interface CrashOptions {
  readonly rounds: number
  /** Chooses when the service is killed and in which order it is written to. */
  readonly seed: number
  /** @default nowhere */
  readonly log?: (line: string) => void
}

/** What rounds of crashes came to. */
export interface CrashReport {
  /** Everything that was sent, with what it had to write first. */
  readonly writes: readonly Write[]
  /** How each write ended, where nothing was wrong with it. */
  readonly ends: ReadonlyMap<Write, string>
  /** What is wrong: nothing may be. */
  readonly faults: readonly { readonly fault: string; readonly write?: Write | undefined }[]
  /** Webhooks that came, repeats included. */
  readonly calls: number
  readonly steps: readonly Step[]
}

/** Longest time between the first answer of a round and its end, in milliseconds. */
const ROUND_MS = 2000
/** Most steps after which the service kills itself, where that ends a round. */
const MOST_STEPS = 300
/** Of how many calls one is refused, if its message has not come before. */
const EVERY_CALL = 7

/**
 * Kills a service in the midst of its work, again and again on one folder, then lets it come to an end and looks at
 * everything. Every other round a clock says when, else the service does itself, between two steps of its writing; after
 * half of the rounds, what was not synced is lost too.
 */
export async function runCrashRounds({ rounds, seed, log = () => undefined }: CrashOptions): Promise<CrashReport> {
  const random = new Random(seed)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-crash-')))
  const places = { dataDir: join(folder, 'data'), stepsFolder: join(folder, 'steps') }
  await mkdir(places.stepsFolder)
  await mkdir(places.dataDir)
  // Some calls are refused at first, so that retries are cut off by crashes too.
  const receiver = await startReceiver(({ headers }, before) => {
    const isNew = before.every((call) => call.headers['webhook-id'] !== headers['webhook-id'])
    return isNew && before.length % EVERY_CALL === 0 ? 503 : 204
  })
  const writes: Write[] = []
  const faults: { readonly fault: string; readonly write?: Write | undefined }[] = []
  const onFault = (fault: string, write?: Write): void => void faults.push({ fault, write })
  try {
    for (let round = 0; round < rounds; round += 1) {
      const own = makeWrites(round, receiver.url, random)
      writes.push(...own.requests, ...own.commands)
      const crashAfter = round % 2 === 0 ? undefined : random.whole(1, MOST_STEPS)
      const how = await crash(places, own, { random, writes, onFault, crashAfter })
      const losesPower = random.next() < 0.5
      if (losesPower) await cutPower(places.dataDir, places.stepsFolder)
      const answered = withParts([...own.requests, ...own.commands]).filter(({ acknowledged }) => acknowledged).length
      log(`round ${round + 1}: ${answered} acknowledged, killed ${how}${losesPower ? ', and the power cut' : ''}`)
    }
    const sent = writes.filter((write) => write.sent)
    const ends = await finish(await startProgram(places), sent, onFault)
    for (const fault of await checkRemains(places.dataDir, sent, receiver.calls)) onFault(fault)
    const steps = await readSteps(places.stepsFolder)
    const all = withParts(sent).filter((write) => write.sent)
    for (const fault of checkSyncs(steps, all)) onFault(fault)
    return { writes: all, ends, faults, calls: receiver.calls.length, steps }
  } finally {
    receiver.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Crash {
  readonly random: Random
  readonly writes: readonly Write[]
  readonly onFault: (fault: string, write?: Write) => void
  readonly crashAfter: number | undefined
}

/** One round. @returns How it ended, for the log. */
async function crash(
  places: { readonly dataDir: string; readonly stepsFolder: string },
  own: RoundWrites,
  { crashAfter, ...options }: Crash,
): Promise<string> {
  const { random } = options
  const program = await startProgram({ ...places, crashAfter }).catch((error: unknown) => {
    if (error instanceof CutOffError) return undefined
    throw error
  })
  if (program === undefined) return `after step ${crashAfter}, while it started`
  const gone = new AbortController()
  const answered = Promise.withResolvers<undefined>()
  const onAnswer = (): void => answered.resolve(undefined)
  const milliseconds = Math.round(random.between(0, ROUND_MS))
  const load = loadUntilGone(program, own, { ...options, gone: gone.signal, onAnswer })
  const byClock = answered.promise.then(() => sleep(crashAfter === undefined ? milliseconds : 2 * ROUND_MS, 'clock'))
  const how = await Promise.race([byClock, program.exited.then(() => 'itself')])
  gone.abort()
  await program.kill()
  await load
  return how === 'itself'
    ? `after step ${crashAfter}`
    : `after ${crashAfter === undefined ? milliseconds : 2 * ROUND_MS} ms`
}

/** Looks closely at everything that was sent, and stops. */
async function finish(
  program: Program,
  writes: readonly Write[],
  onFault: (fault: string, write?: Write) => void,
): Promise<ReadonlyMap<Write, string>> {
  const ends = new Map<Write, string>()
  // What has been made for another write, and goes with it, comes after that.
  for (const write of withParts(writes).toReversed()) {
    if (write.doomed || !write.sent) continue
    try {
      ends.set(write, await write.settle(program))
    } catch (error) {
      onFault(String(error), write)
    }
  }
  for (const tenant of ['first', 'second'] as const) {
    const listed = checkFileList(program, { tenant, key: 'list' }, filesOf(writes, tenant))
    await listed.catch((error: unknown) => onFault(String(error)))
  }
  await program.stop()
  return ends
}
