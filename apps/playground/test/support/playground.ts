import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A playground in a separate process. */
export interface TestPlayground {
  readonly url: string
  /** The service behind the page. */
  readonly serviceUrl: string
  readonly apiKey: string
  /** Standard output and error of the process. */
  readonly output: () => string
  /** Sends a signal to the process of the service. The playground starts a killed one again. */
  signalService(signal: NodeJS.Signals): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a playground with Node, from its source, as users do.
 * @param baseUrl Address of another service. Without it, the playground starts one of its own.
 * @param apiKey Key of the service. Without it, one that another service does not know.
 */
export async function startTestPlayground(
  baseUrl = '',
  apiKey = `test-key-${randomBytes(12).toString('hex')}`,
): Promise<TestPlayground> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-playground-test-'))
  const serve = fileURLToPath(new URL('serve.ts', import.meta.url))
  const child = fork(serve, [apiKey, baseUrl], { silent: true, execArgv: [], env: { ...process.env, TMPDIR: folder } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)))
  const ended = once(child, 'exit')
  const [ready] = (await Promise.race([once(child, 'message'), ended.then(() => [undefined])])) as [
    { url: string; serviceUrl: string } | undefined,
  ]
  if (ready === undefined) throw new Error(`The playground did not start:\n${output}`)
  return {
    ...ready,
    apiKey,
    output: () => output,
    async signalService(signal) {
      const sent = once(child, 'message')
      child.send(signal)
      await sent
    },
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
