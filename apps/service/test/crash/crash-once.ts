import { appendFile, copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { loadUntilExit } from './load.ts'
import { CutOffError, type ProgramOptions, startProgram } from './program.ts'
import { readSteps, type Step, stepsFile } from './steps.ts'
import type { RoundWrites } from './writes/make-writes.ts'
import type { Write } from './writes/write.ts'

/** A fault, and the write that it concerns. */
export interface Fault {
  readonly fault: string
  readonly write?: Write | undefined
}

/** Terms of one crash. */
export interface CrashTerms {
  readonly random: Random
  /** All writes so far, and those of this round. */
  readonly writes: readonly Write[]
  readonly onFault: (fault: string, write?: Write) => void
  /** The service kills itself after this many steps. Without a number, a clock decides. */
  readonly crashAfter: number | undefined
  /** Whether unsynced data is lost and the commands beside the service end too. */
  readonly losesPower: boolean
}

/** Longest time between the first response and the end, in milliseconds. */
const ROUND_MS = 2000

/** Starts the service, writes to it and kills it. @returns How it ended, for the log. */
export async function crashOnce(places: ProgramOptions, own: RoundWrites, terms: CrashTerms): Promise<string> {
  const { losesPower } = terms
  const how = await killInTheMidst(places, own, terms)
  if (losesPower) await cutPower(places.dataDir, places.stepsFolder)
  return losesPower ? `${how}, and the power cut` : how
}

async function killInTheMidst(
  places: ProgramOptions,
  own: RoundWrites,
  { crashAfter, losesPower, ...rest }: CrashTerms,
): Promise<string> {
  const program = await startProgram({ ...places, crashAfter }).catch((error: unknown) => {
    if (error instanceof CutOffError) return undefined
    throw error
  })
  if (program === undefined) return `after step ${crashAfter}, while it started`
  const exited = new AbortController()
  const answered = Promise.withResolvers<undefined>()
  const onResponse = (): void => answered.resolve(undefined)
  const milliseconds = crashAfter === undefined ? rest.random.whole(0, ROUND_MS) : ROUND_MS
  const load = loadUntilExit(program, own, { ...rest, exited: exited.signal, onResponse })
  const byClock = answered.promise.then(() => sleep(milliseconds, `after ${milliseconds} ms`))
  const how = await Promise.race([byClock, program.exited.then(() => `after step ${crashAfter}`)])
  exited.abort()
  await program.kill({ commands: losesPower })
  await load
  return how
}

/** Folders whose durability is the service's own job. */
const STORES = ['files', 'inputs', 'results']

/**
 * Simulates a power cut after the service was killed: removes everything unsynced from a folder. That is a name that
 * its folder's last sync did not have, data after the file's last sync, and a folder with an unsynced name. The
 * database stays: SQLite in mode FULL syncs each commit and ignores data after the last one.
 */
export async function cutPower(dataDir: string, stepsFolder: string): Promise<void> {
  const steps = await readSteps(stepsFolder)
  const data = new Map(steps.flatMap((step) => (step.step === 'file' ? [[step.inode, step.copy]] : [])))
  const folders = new Map(steps.flatMap((step) => (step.step === 'folder' ? [[step.path, step.names]] : [])))
  const durable = folders.get(dataDir) ?? {}
  for (const store of STORES) {
    const path = join(dataDir, store)
    await rm(path, { recursive: true, force: true })
    if (!(store in durable)) continue
    await mkdir(path)
    const names: Record<string, number> = {}
    for (const [name, inode] of Object.entries(folders.get(path) ?? {})) {
      const file = join(path, name)
      const copy = data.get(inode)
      await (copy === undefined ? writeFile(file, '') : copyFile(copy, file))
      names[name] = (await stat(file)).ino
      // From now on the disk holds the file under this number.
      if (copy !== undefined)
        await remember(stepsFolder, { step: 'file', path: file, inode: names[name], copy, restored: true })
    }
    await remember(stepsFolder, { step: 'folder', path, names })
  }
  const uploads = join(dataDir, 'uploads')
  for (const name of await readdir(uploads).catch(() => [])) await rm(join(uploads, name), { recursive: true })
}

async function remember(stepsFolder: string, step: Step): Promise<void> {
  await appendFile(stepsFile(stepsFolder), `${JSON.stringify(step)}\n`)
}
