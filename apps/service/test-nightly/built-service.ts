import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../dist/main.js')

/** The built service for one measurement, with a key and a folder of its own. */
export interface BuiltService extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  /** Its process. */
  readonly pid: number
}

/**
 * Starts it on a free port. Its disposal stops it and removes its folder. Only errors are logged.
 * @param args Further arguments of its command line.
 * @throws Error if it ends before it is ready
 */
export async function startBuiltService(args: readonly string[] = []): Promise<BuiltService> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-measured-'))
  const apiKey = 'key-of-one-measurement-0123456789'
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--data-dir', folder, '--log-level', 'error', ...args], {
    env: { ...process.env, SVC_AUDIO_API_KEYS: `measured:${apiKey}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const dispose = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  child.stdout.setEncoding('utf8')
  let printed = ''
  const failed = ended.then(() => Promise.reject(new Error(`The service ended: ${printed}`)))
  try {
    for (;;) {
      const [text] = await Promise.race([once(child.stdout, 'data'), failed])
      printed += String(text)
      const [baseUrl] = /http:\/\/\S+/.exec(printed) ?? []
      if (baseUrl !== undefined && child.pid !== undefined) {
        failed.catch(() => undefined)
        return { baseUrl, apiKey, pid: child.pid, [Symbol.asyncDispose]: dispose }
      }
    }
  } catch (error) {
    await dispose()
    throw error
  }
}
