import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { CutOffError, type Program, TENANTS, type Tenant } from './program.ts'
import { checkFileList, FileWrite } from './writes/file-write.ts'
import type { RoundWrites } from './writes/make-writes.ts'
import type { Write } from './writes/write.ts'

/** Context of a round's load. */
export interface LoadOptions {
  readonly random: Random
  /** All writes so far, this round's included. */
  readonly writes: readonly Write[]
  /** Aborts just before the service is killed. */
  readonly exited: AbortSignal
  readonly onResponse: () => void
  /** Records a fault. */
  readonly onFault: (fault: string, write?: Write) => void
}

/** Clients at the same time. */
const CLIENTS = 4

/** Writes, and checks acknowledged writes of all rounds, until the service has exited. */
export async function loadUntilExit(program: Program, sent: RoundWrites, options: LoadOptions): Promise<void> {
  const { requests, commands } = sent
  const clients = Array.from({ length: CLIENTS }, (_, client) => requests.filter((_one, at) => at % CLIENTS === client))
  await Promise.all([
    ...[...clients, commands].map((own) => send(program, own, options)),
    watchWrites(program, options),
    ...(['first', 'second'] as const).map((tenant) => watchLists(program, tenant, options)),
  ])
}

async function send(program: Program, writes: readonly Write[], options: LoadOptions): Promise<void> {
  for (const write of writes) {
    if (options.exited.aborted) return
    const isGone = await attempt(() => write.begin(program), options, write)
    if (isGone) return
    options.onResponse()
    if (await attempt(() => write.look(program), options, write)) return
  }
}

async function watchWrites(program: Program, options: LoadOptions): Promise<void> {
  while (!options.exited.aborted) {
    const known = options.writes.filter(({ acknowledged }) => acknowledged)
    if (known.length > 0) {
      const write = options.random.pick(known)
      if (await attempt(() => write.look(program), options, write)) return
    }
    await sleep(5)
  }
}

async function watchLists(program: Program, tenant: Tenant, options: LoadOptions): Promise<void> {
  while (!options.exited.aborted) {
    const look = () => checkFileList(program, { tenant, key: 'list' }, filesOf(options.writes, tenant))
    if (await attempt(look, options)) return
    await sleep(20)
  }
}

/** The writes and their prerequisites, prerequisites first. */
export function withParts(writes: readonly Write[]): Write[] {
  return writes.flatMap((write) => [...withParts(write.parts), write])
}

/** A tenant's files among all writes. */
export function filesOf(writes: readonly Write[], tenant: keyof typeof TENANTS): FileWrite[] {
  return withParts(writes).filter((write) => write instanceof FileWrite && write.tenant === tenant) as FileWrite[]
}

/** @returns Whether the service has exited. A broken connection is expected; a wrong response is a fault. */
async function attempt(work: () => Promise<void>, { exited, onFault }: LoadOptions, write?: Write): Promise<boolean> {
  try {
    await work()
    return false
  } catch (error) {
    if (exited.aborted || error instanceof TypeError || error instanceof CutOffError) return true
    onFault(String(error), write)
    return false
  }
}
