import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process of the cluster that is started again when it was killed. */
export class ClusterNode {
  readonly role: 'api' | 'worker'
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  #stopped = false
  /** Its address, while it answers. */
  url: string | undefined
  /** How often it ended by itself after its start. */
  crashes = 0

  constructor(role: 'api' | 'worker', environment: NodeJS.ProcessEnv) {
    this.role = role
    this.#environment = { ...process.env, ...environment, ROLE: role }
  }

  async start(): Promise<void> {
    if (this.#stopped) return
    const child = fork(new URL('./node.ts', import.meta.url), {
      env: this.#environment,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    let ready = false
    child.once('exit', (_code, signal) => {
      this.url = undefined
      if (ready && signal !== 'SIGKILL') this.crashes += 1
      // The database may have been away when it started.
      if (this.#child === child) void sleep(500).then(() => this.start())
    })
    child.once('message', ({ url }: { url: string }) => {
      ready = true
      this.url = url
    })
    await Promise.race([once(child, 'message'), once(child, 'exit')])
  }

  /** Ends it as a crash would. It starts again by itself. */
  kill(): void {
    this.url = undefined
    this.#child?.kill('SIGKILL')
  }

  /** Stops it for a time, as a machine that swaps or sleeps. */
  async pause(milliseconds: number): Promise<void> {
    const child = this.#child
    child?.kill('SIGSTOP')
    await sleep(milliseconds)
    child?.kill('SIGCONT')
  }

  /** Lets its engine hang for a time, while the process lives. Work that began in this time never ends. */
  async hang(milliseconds: number): Promise<void> {
    const child = this.#child
    const tell = (hangs: boolean): void => void (child?.connected === true && child.send({ hangs }, () => {}))
    tell(true)
    await sleep(milliseconds)
    tell(false)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}
