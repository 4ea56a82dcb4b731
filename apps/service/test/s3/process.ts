import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@svc-audio/kit/hosts'
import { BUCKET } from './server.ts'

/** S3 as a separate process. */
export interface S3Process {
  readonly port: number
  readonly bucket: string
  /** Ends it as a crash would. Its objects stay. */
  kill(): Promise<void>
  /** Starts it again on the same folder and port. Resolves when it answers. */
  start(): Promise<void>
  /** Stops it for a time. Its connections stay open. */
  pause(milliseconds: number): Promise<void>
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

/** Starts S3 with one empty bucket. */
export async function startS3Process(): Promise<S3Process> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-s3-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const started = fork(new URL('process-main.ts', import.meta.url), [folder, String(port)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child = started
    const [ready] = await Promise.race([once(started, 'message'), once(started, 'exit')])
    if (typeof ready !== 'object' || ready === null) throw new Error('S3 has not started')
  }
  const kill = async (): Promise<void> => {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null) return
    const gone = once(running, 'exit')
    running.kill('SIGKILL')
    await gone
  }
  await start()
  return {
    port,
    bucket: BUCKET,
    kill,
    start,
    async pause(milliseconds) {
      child?.kill('SIGSTOP')
      await sleep(milliseconds)
      child?.kill('SIGCONT')
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
