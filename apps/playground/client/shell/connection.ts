import type { ServiceState, StatusResponse } from '../../shared/api.ts'
import { createStore, type Store } from '../lib/store.ts'

/** Whether the page can work. `unreachable`: the playground's own server does not answer, `offline`: nor does the network. */
export type ConnectionState = ServiceState | 'unreachable' | 'offline'

/** The connection to the service. */
export interface Connection {
  readonly state: ConnectionState
  /** Whether the playground runs the service itself. `undefined` until known. */
  readonly embedded: boolean | undefined
  /** Address of a service that somebody else runs. */
  readonly address?: string | undefined
  /** Grows each time the service comes back. What failed before can then be loaded again. */
  readonly epoch: number
}

/** Milliseconds between two checks of a connection that works, and of one that does not. */
const CALM = 800
const EAGER = 600

/** Deadline of a check, in milliseconds: a response that is lost on its way does not hold the banner for longer. */
const DEADLINE = 5000

/** The current connection. */
export const connection: Store<Connection> = createStore<Connection>({ state: 'up', embedded: undefined, epoch: 0 })

let watching = false
let timer: ReturnType<typeof setTimeout> | undefined
let checking: Check | undefined

interface Check {
  readonly retry: boolean
  done: Promise<void>
}

/** Checks the connection now. Failed calls do so, and the Retry button. @param retry Starts a stopped service at once. */
export function checkConnection(retry = false): Promise<void> {
  // A press of Retry does not wait for a check in flight, which may take seconds and starts nothing.
  if (checking !== undefined && (checking.retry || !retry)) return checking.done
  const check: Check = { retry, done: Promise.resolve() }
  checking = check
  check.done = run(check)
  return check.done
}

async function run(check: Check): Promise<void> {
  const response = await askService(check.retry)
  // A check that replaced this one knows more.
  if (checking !== check) return
  checking = undefined
  note(response)
  schedule()
}

/** Checks the connection from now on, while the page is visible. Call once. */
export function watchConnection(): void {
  watching = true
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void checkConnection()
  })
  void checkConnection()
}

function schedule(): void {
  clearTimeout(timer)
  if (!watching || document.hidden) return
  timer = setTimeout(() => void checkConnection(), connection.get().state === 'up' ? CALM : EAGER)
}

interface CheckResult extends Pick<Connection, 'state' | 'embedded' | 'address'> {
  readonly process?: number | undefined
}

/** The service's process at the last check that found it up. */
let lastProcess: number | undefined

function note({ state, embedded, address, process }: CheckResult): void {
  const before = connection.get()
  // A service that is back within seconds was away between two checks.
  const replaced = lastProcess !== undefined && process !== undefined && process !== lastProcess
  const back = state === 'up' && (before.state !== 'up' || replaced)
  if (state === 'up') lastProcess = process
  if (!back && state === before.state && embedded === before.embedded) return
  const known = embedded === undefined ? before : { embedded, address }
  const epoch = before.epoch + (back ? 1 : 0)
  connection.set({
    state,
    embedded: known.embedded,
    ...(known.address === undefined ? {} : { address: known.address }),
    epoch,
  })
}

async function askService(retry: boolean): Promise<CheckResult> {
  try {
    const init = { method: retry ? 'POST' : 'GET', signal: AbortSignal.timeout(DEADLINE) }
    const response = await fetch('/api/status', init)
    if (!response.ok) throw new Error(`status ${response.status}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- page and server are one build
    const { service, ...rest } = (await response.json()) as StatusResponse
    return { state: service, ...rest }
  } catch (error) {
    return { state: stateOf(error), embedded: undefined }
  }
}

/** What a failed check means. A browser has six connections for a server: a check may wait behind long requests. */
function stateOf(error: unknown): ConnectionState {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'silent'
  return navigator.onLine ? 'unreachable' : 'offline'
}
