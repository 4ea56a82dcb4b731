import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startPostgres } from '../postgres/server.ts'
import { startS3Process } from '../s3/process.ts'
import { runUnderLoad } from './chaos/chaos.ts'
import { judge } from './chaos/judge.ts'

/** Time of load, in milliseconds. */
const LOAD_MS = 12_000

test('two API processes and two workers whose clocks are an hour and eight days off lose nothing to their sweeps', async () => {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3Process()])
  try {
    const report = await runUnderLoad({
      apis: 3,
      workers: 3,
      databaseUrl: postgres.url,
      nodesUrl: postgres.url,
      s3,
      s3Endpoint: `http://127.0.0.1:${s3.port}`,
      hoursAhead: [0, 1, -8 * 24, 0, -1, 8 * 24],
      sweepMs: 500,
      disturb: async () => {
        await sleep(LOAD_MS)
        return {}
      },
    })
    expect(judge(report, LOAD_MS / 1000)).toEqual([])
  } finally {
    await Promise.all([postgres.stop(), s3.stop()])
  }
}, 600_000)
