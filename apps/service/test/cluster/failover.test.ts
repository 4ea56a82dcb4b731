import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../postgres/server.ts'
import { type S3Process, startS3Process } from '../s3/process.ts'
import { runUnderLoad } from './chaos/chaos.ts'
import { judge, reportLine } from './chaos/judge.ts'
import type { Load } from './chaos/load.ts'
import type { ClusterNode } from './chaos/nodes.ts'

/** Time of load before and after the fault, in milliseconds. */
const BESIDE_MS = 8000

/** Waits until a request is accepted. @returns Seconds since the start of the wait */
async function secondsToAccept({ accepted }: Load): Promise<number> {
  const [started, before] = [Date.now(), accepted.length]
  while (accepted.length === before) {
    if (Date.now() > started + 300_000) throw new Error('No request is accepted')
    await sleep(50)
  }
  return (Date.now() - started) / 1000
}

/** Makes one fault between two times of load. */
async function betweenLoad(load: Load, fault: () => Promise<void>): Promise<{ readonly secondsToAccept: number }> {
  await sleep(BESIDE_MS)
  await fault()
  const seconds = await secondsToAccept(load)
  await sleep(BESIDE_MS)
  return { secondsToAccept: seconds }
}

/** Runs a small cluster over servers. @returns What is broken */
async function findBroken(
  servers: { readonly s3: S3Process; readonly url: string },
  disturb: (nodes: readonly ClusterNode[], load: Load) => Promise<Readonly<Record<string, number>>>,
): Promise<readonly string[]> {
  const { s3, url } = servers
  const s3Endpoint = `http://127.0.0.1:${s3.port}`
  const report = await runUnderLoad({ apis: 2, workers: 2, databaseUrl: url, nodesUrl: url, s3, s3Endpoint, disturb })
  process.stdout.write(`${reportLine(report)}\n`)
  return judge(report, BESIDE_MS / 1000)
}

const hostOf = ({ port }: Pick<PostgresServer, 'port'>): string => `127.0.0.1:${port}`

test('a synchronous standby is promoted under load: nothing accepted is lost, and the bytes of every result are right', async () => {
  const [primary, s3] = await Promise.all([startPostgres(), startS3Process()])
  const standby = await primary.startStandby()
  const hosts = [primary, standby].map(hostOf).join()
  const url = `postgres://test@${hosts}/postgres?target_session_attrs=read-write`
  try {
    const broken = await findBroken({ s3, url }, (_nodes, load) =>
      betweenLoad(load, async () => {
        await primary.kill()
        await standby.promote()
      }),
    )
    expect(broken).toEqual([])
  } finally {
    await Promise.all([primary.stop(), standby.stop(), s3.stop()])
  }
}, 900_000)

test('PostgreSQL restarts three times while the processes start again: nothing accepted is lost', async () => {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3Process()])
  try {
    const broken = await findBroken({ s3, url: postgres.url }, (nodes, load) =>
      betweenLoad(load, async () => {
        for (let restart = 0; restart < 3; restart += 1) {
          for (const node of nodes) node.kill()
          await postgres.kill()
          // The processes start while there is no server, and while it recovers.
          await sleep(700)
          await postgres.start()
        }
      }),
    )
    expect(broken).toEqual([])
  } finally {
    await Promise.all([postgres.stop(), s3.stop()])
  }
}, 900_000)
