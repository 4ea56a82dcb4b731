import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type AddressSet, networkOf, readAddress } from '../domain/addresses.ts'
import { ServiceError } from '../domain/service-error.ts'
import { responseInFlight, hasBeenAccepted, isAccepted } from './connection.ts'
import { proxySet } from './request.ts'

/** Options of {@link ConnectionLimits}. */
export interface ConnectionLimitOptions {
  /** Maximum connections. `Infinity` for no limit. @default half of the open files of this process, at most 10000 */
  readonly connections?: number | undefined
  /** Maximum connections per address. `Infinity` for no limit. @default half of `connections` */
  readonly connectionsPerAddress?: number | undefined
  /** Addresses and CIDR blocks of proxies: the limit of an address does not count for them. @default none */
  readonly trustProxy?: readonly string[] | undefined
}

/** Maximum refused connections that wait for their request. Beyond that, the oldest is closed without a response. */
const MOST_REFUSED = 32

const MOST_BY_DEFAULT = 10_000

/** Where the system does not tell the limit of open files. */
const WITHOUT_LIMIT_OF_FILES = 1000

/**
 * Limits the connections of a server: of one address, and of all. A new connection over a limit takes the place of one
 * that is idle: one that no valid key has used, else one that waits for its next request, the oldest first. If
 * all work, the new connection stays until its first request, which gets 429 `too_many_connections` or 503
 * `overloaded`.
 *
 * An IPv6 address counts with its first 64 bits.
 */
export class ConnectionLimits {
  readonly #max: number
  readonly #mostPerAddress: number
  readonly #proxies: AddressSet
  /** Network by connection, the oldest connection first. */
  readonly #networks = new Map<Socket, string>()
  readonly #counts = new Map<string, number>()
  readonly #refused = new Map<Socket, ServiceError>()
  #closed = 0

  /** @throws RangeError naming the option that is not valid */
  constructor({
    connections = connectionsByDefault(),
    connectionsPerAddress = Math.ceil(connections / 2),
    trustProxy = [],
  }: ConnectionLimitOptions = {}) {
    this.#max = positive('connections', connections)
    this.#mostPerAddress = positive('connectionsPerAddress', connectionsPerAddress)
    this.#proxies = proxySet(trustProxy)
  }

  /** Open connections. */
  get open(): number {
    return this.#networks.size
  }

  /** Connections that were closed or refused, because there were too many. */
  get closed(): number {
    return this.#closed
  }

  /** Counts the connections of a server from now on. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#add(socket))
  }

  /** The error of a request on a refused connection. `undefined` for every other connection. */
  refusalOf(socket: Socket): ServiceError | undefined {
    return this.#refused.size === 0 ? undefined : this.#refused.get(socket)
  }

  #add(socket: Socket): void {
    // A connection whose upgrade was ignored comes again.
    if (this.#networks.has(socket)) return
    const address = readAddress(socket.remoteAddress)
    // The client has disconnected already.
    if (address === undefined) return
    const network = networkOf(address)
    const count = (this.#counts.get(network) ?? 0) + 1
    this.#networks.set(socket, network)
    this.#counts.set(network, count)
    socket.once('close', () => this.#remove(socket))
    if (count > this.#mostPerAddress && !this.#proxies.has(address)) {
      if (!this.#makeRoom(socket, network)) this.#refuse(socket, tooManyOfAddress(this.#mostPerAddress))
    } else if (this.#networks.size > this.#max && !this.#makeRoom(socket)) {
      this.#refuse(socket, tooMany(this.#max))
    }
  }

  #remove(socket: Socket): void {
    const network = this.#networks.get(socket)
    if (network === undefined) return
    this.#networks.delete(socket)
    this.#refused.delete(socket)
    const left = (this.#counts.get(network) ?? 1) - 1
    if (left === 0) this.#counts.delete(network)
    else this.#counts.set(network, left)
  }

  /** @returns Whether a connection was closed for the new one: of this network, or of any. */
  #makeRoom(newest: Socket, network?: string): boolean {
    let idle: Socket | undefined
    for (const [socket, its] of this.#networks) {
      if (socket === newest || (network !== undefined && its !== network)) continue
      if (worksForClient(socket) || this.#refused.has(socket)) continue
      if (!hasBeenAccepted(socket)) return this.#close(socket)
      idle ??= socket
    }
    return idle !== undefined && this.#close(idle)
  }

  #refuse(socket: Socket, error: ServiceError): void {
    this.#closed += 1
    this.#refused.set(socket, error)
    if (this.#refused.size <= MOST_REFUSED) return
    for (const oldest of this.#refused.keys()) {
      this.#remove(oldest)
      oldest.destroy()
      return
    }
  }

  #close(socket: Socket): true {
    this.#closed += 1
    this.#remove(socket)
    socket.destroy()
    return true
  }
}

/** Whether an accepted request of this connection is in flight. */
function worksForClient(socket: Socket): boolean {
  const response = responseInFlight(socket)
  return response !== undefined && !response.writableFinished && isAccepted(response.req)
}

function tooManyOfAddress(max: number): ServiceError {
  const message = `Your address has ${max} connections with requests in flight, its limit: retry when one has ended`
  return new ServiceError(429, 'too_many_connections', message, { retryAfterSeconds: 1 })
}

function tooMany(max: number): ServiceError {
  const message = `The service has ${max} connections with requests in flight, its limit: retry later`
  return new ServiceError(503, 'overloaded', message, { retryAfterSeconds: 1 })
}

function positive(option: string, value: number): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value > 0)) return value
  throw new RangeError(`\`${option}\` must be a positive integer or Infinity, got ${String(value)}`)
}

/** A request needs about one open file besides its connection. */
function connectionsByDefault(): number {
  const files = mostOpenFiles()
  return files === undefined ? WITHOUT_LIMIT_OF_FILES : Math.max(1, Math.min(MOST_BY_DEFAULT, Math.floor(files / 2)))
}

/** @returns The limit of open files of this process. `undefined` where the system does not tell it. */
function mostOpenFiles(): number | undefined {
  try {
    const { max } = /^Max open files +(?<max>\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.groups ?? {}
    return max === undefined ? undefined : Number(max)
  } catch {
    return undefined
  }
}
