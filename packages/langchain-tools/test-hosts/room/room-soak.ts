import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { playRoom, type RoomRow } from './play-room.ts'

const KEY = 'room-key-0123456789'

/** Result of {@link soakRoom}. */
export interface RoomSoak {
  readonly rows: readonly RoomRow[]
  /** Megabytes of live objects and buffers after each run of the script. */
  readonly megabytes: readonly number[]
}

/** Starts the service, and plays the room against it. */
export async function soakRoom(seconds: number, onRow: (row: RoomRow) => void = () => {}): Promise<RoomSoak> {
  const collectGarbage = garbageCollector()
  const megabytes: number[] = []
  const rows = await withService((client, folder) =>
    playRoom({
      client,
      folder,
      seconds,
      onRow,
      onRound() {
        collectGarbage()
        const { heapUsed, external } = process.memoryUsage()
        megabytes.push((heapUsed + external) / 1e6)
      },
    }),
  )
  return { rows, megabytes }
}

/** Works with a service of its own. @param work Gets a client, and a folder that is removed. */
export async function withService<Result>(
  work: (client: AudioClient, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'voice-room-'))
  const apiKeys = new Map([[KEY, 'tests']])
  const service = await startService({ dataDir: join(folder, 'service'), port: 0, apiKeys, logLevel: 'silent' })
  const client = new AudioClient({ apiKey: KEY, baseUrl: service.url, maxRetries: 5 })
  try {
    return await work(client, folder)
  } finally {
    await client.close()
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Megabytes that the second half of the runs has more than the first, which also warms up. */
export function growthOf(megabytes: readonly number[]): number {
  const half = Math.floor(megabytes.length / 2)
  const least = (values: readonly number[]): number => Math.min(...values)
  return half === 0 ? 0 : least(megabytes.slice(half)) - least(megabytes.slice(0, half))
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new TypeError('Node.js exposes no garbage collector')
  return () => void Reflect.apply(collect, undefined, [])
}
