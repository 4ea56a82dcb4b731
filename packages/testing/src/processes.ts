import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** Options of {@link startScript}. */
export interface StartScriptOptions {
  /** Arguments of the script. @default none */
  readonly args?: readonly string[]
  /** Options of Node, e.g. a limit on the heap. @default none */
  readonly nodeOptions?: readonly string[]
}

/** A running script. */
export interface RunningScript {
  /** The first printed line, without its line end: usually the script's address. */
  readonly printed: string
  /** Ends the process and waits for its exit. */
  close(): Promise<void>
}

/**
 * Starts a script in a separate process, to measure the script alone. Resolves with its first printed line. Its
 * standard error goes to this process.
 * @param path The file.
 * @throws Error if the script ends before it prints a line
 */
export async function startScript(
  path: string,
  { args = [], nodeOptions = [] }: StartScriptOptions = {},
): Promise<RunningScript> {
  const child = spawn(process.execPath, [...nodeOptions, path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const ready = once(child.stdout.setEncoding('utf8'), 'data')
  const [line] = await Promise.race([ready, ended.then((): unknown[] => [])])
  if (line === undefined) throw new Error(`${path} ended with code ${child.exitCode} before it printed anything`)
  return {
    printed: String(line).trim(),
    async close() {
      child.kill()
      await ended
    },
  }
}

/** Addresses of a server that listens on all of the machine's. */
const ANY: ReadonlySet<string> = new Set(['::', '0.0.0.0'])

/** A server of Node, or what has its address. */
export interface ListeningServer {
  /** Where it listens. `null` before it does; the path of a socket. */
  address(): AddressInfo | string | null
}

/**
 * The address of a server of Node that listens on a port, such as `http://127.0.0.1:40213`. A server that listens on all
 * addresses is reached at 127.0.0.1.
 * @param protocol Such as `https` or `ws`. @default 'http'
 * @throws Error when the server does not listen on a port
 *
 * @example
 * const server = app.listen(0, '127.0.0.1')
 * await once(server, 'listening')
 * await fetch(`${serverUrl(server)}/transcribe`, { method: 'POST', body: uploadForm(wavFile(2000)) })
 */
export function serverUrl(server: ListeningServer, protocol = 'http'): string {
  const address = server.address()
  if (address === null || typeof address === 'string') {
    throw new Error('The server does not listen on a port: call `listen(0)` and wait for its event `listening`')
  }
  const { address: given, family } = address
  const own = family === 'IPv6' ? `[${given}]` : given
  const host = ANY.has(given) ? '127.0.0.1' : own
  return `${protocol}://${host}:${address.port}`
}
